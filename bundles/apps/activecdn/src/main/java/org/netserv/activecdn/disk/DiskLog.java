// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.disk;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Contents in a log of segments. The oldest segment goes when the log is full.
 *
 * <pre>
 *   event loop                        disk's thread
 *   append, update, remove  --job-->  write at the planned offset
 *   read                    --job-->  read, check the sum
 *                           <-------  outcome
 *   |  0007.log  |  0008.log  |  0009.log ...      |
 *   ^ goes next                           ^ records are added
 * </pre>
 *
 * Jobs are done in the order of their calls. So what {@link #flush} waits for includes all calls
 * before it. A removal that cannot be written takes the segment of its content with it: no content
 * comes back after an opening that was removed before. All methods belong to the event loop.
 *
 * @param <T> the owner of a content
 */
public final class DiskLog<T> implements AutoCloseable {
  /** Milliseconds without writes after a failure. */
  static final long PAUSE = 10_000;

  private static final int SEGMENTS = 16;

  /** Hears of contents. */
  public interface Owners<T> {
    /** Hears that contents go, because their segment goes or could not be written. */
    void lost(T owner);

    /** Hears that the disk did not take something. */
    void failed();
  }

  private final LogDirectory<T> directory;
  private final long segmentBytes;
  private final long limit;
  private final long mostQueued;
  private final Executor disk;
  private final Executor loop;
  private final LongSupplier ticks;
  private final Owners<T> owners;
  private final Deque<Segment<T>> segments = new ArrayDeque<>();
  private Segment<T> current; // null = the next record begins one
  private long sequence;
  private long nextId;
  private long queued; // bytes of contents that wait for the disk
  private int deletions; // that wait for the disk
  private long count;
  private long pausedUntil = Long.MIN_VALUE;

  /**
   * The bounds of a log.
   *
   * @param bytes of all files
   * @param queued the most bytes of contents that wait for the disk, or a single larger content
   */
  public record Bounds(long bytes, long queued) {}

  /** The threads of a log: each executor does one thing after the other. */
  public record Threads(Executor disk, Executor loop, LongSupplier ticks) {}

  /** Continues the work that a {@link LogDirectory} has found. */
  public DiskLog(LogDirectory<T> found, Bounds bounds, Threads threads, Owners<T> owners) {
    directory = found;
    limit = bounds.bytes();
    segmentBytes = limit / SEGMENTS;
    mostQueued = bounds.queued();
    disk = threads.disk();
    loop = threads.loop();
    ticks = threads.ticks();
    this.owners = owners;
    segments.addAll(found.segments());
    for (Segment<T> segment : segments) {
      count += segment.live.size();
    }
    sequence = found.nextSequence();
    nextId = found.nextId();
    current = found.unfinished();
  }

  /** The most bytes of a content with its description. */
  public long most() {
    return segmentBytes - Segment.HEAD - LogRecord.HEAD;
  }

  /** Tells whether the disk is quick enough for a content of some bytes, and works. */
  private boolean isReady(long length) {
    return (queued == 0 || queued + length <= mostQueued) && !isPaused();
  }

  /**
   * Writes a content.
   *
   * @param describe makes its description, if the disk is ready
   * @param blocks which never change
   * @return its place; null if the log does not take it now
   */
  public Place<T> append(T owner, Function<T, byte[]> describe, List<byte[]> blocks, long length) {
    byte[] about = isReady(length) ? describe.apply(owner) : null;
    if (about == null || about.length > LogRecord.MOST_ABOUT || about.length + length > most()) {
      return null;
    }
    Segment<T> segment = reserve(LogRecord.size(about.length, length));
    long at = segment.end - length;
    Place<T> place = new Place<>(owner, nextId++, segment, at, length);
    segment.live.add(place);
    count++;
    queued += length;
    List<byte[]> kept = List.copyOf(blocks);
    disk.execute(() -> write(place, about, kept));
    return place;
  }

  private void write(Place<T> place, byte[] about, List<byte[]> blocks) {
    boolean written;
    try {
      place.sum = LogRecord.sum(blocks, place.length);
      var head = LogRecord.head(LogRecord.Kind.STORED, place.id, about, place.length, place.sum);
      place.segment.write(place.at - head.remaining(), head, blocks, place.length);
      written = true;
    } catch (IOException e) {
      written = false;
    }
    boolean done = written;
    loop.execute(() -> written(place, done));
  }

  private void written(Place<T> place, boolean done) {
    queued -= place.length;
    if (done) {
      place.isWritten = true;
      return;
    }
    pause(place.segment);
    if (place.segment.live.remove(place)) {
      count--;
      owners.lost(place.owner);
    }
  }

  /**
   * Gives a content another description.
   *
   * @param needed whether the content must not come back with the description from before
   */
  public void update(Place<T> place, byte[] about, boolean needed) {
    if (place.segment.live.contains(place) && (needed || !isPaused())) {
      note(LogRecord.Kind.UPDATED, place, about);
    }
  }

  /** Removes a content. Its owner hears nothing more of it. */
  public void remove(Place<T> place) {
    if (place.segment.live.remove(place)) {
      count--;
      note(LogRecord.Kind.REMOVED, place, new byte[0]);
    }
  }

  /** Writes a record without a content, or lets go of the segment that it is about. */
  private void note(LogRecord.Kind kind, Place<T> place, byte[] about) {
    if (isPaused() || about.length > LogRecord.MOST_ABOUT) {
      drop(place.segment);
      return;
    }
    Segment<T> segment = reserve(LogRecord.size(about.length, 0));
    long at = segment.end - LogRecord.size(about.length, 0);
    disk.execute(
        () -> {
          try {
            segment.write(at, LogRecord.head(kind, place.id, about, 0, 0), List.of(), 0);
          } catch (IOException e) {
            loop.execute(
                () -> {
                  pause(segment);
                  drop(place.segment);
                });
          }
        });
  }

  private boolean isPaused() {
    return ticks.getAsLong() < pausedUntil;
  }

  private void pause(Segment<T> failed) {
    if (current == failed) {
      current = null;
      pausedUntil = ticks.getAsLong() + PAUSE;
      owners.failed();
    }
  }

  /** Plans a place for a record, which ends at the end of the segment. */
  private Segment<T> reserve(long size) {
    if (current == null || current.end + size > segmentBytes) {
      begin();
    }
    current.end += size;
    return current;
  }

  /** Begins a segment, for which the oldest ones may have to go. */
  private void begin() {
    Segment<T> full = current;
    if (full != null) {
      disk.execute(() -> force(full));
    }
    List<Place<T>> lost = new ArrayList<>();
    while (!segments.isEmpty() && bytes() + segmentBytes > limit) {
      lost.addAll(detach(segments.getFirst()));
    }
    Segment<T> next = directory.segment(sequence++);
    segments.add(next);
    current = next;
    disk.execute(() -> create(next));
    lost.forEach(place -> owners.lost(place.owner));
  }

  private void create(Segment<T> segment) {
    try {
      directory.create(segment);
    } catch (IOException e) {
      segment.close(); // and the first write fails
    }
  }

  private void drop(Segment<T> segment) {
    detach(segment).forEach(place -> owners.lost(place.owner));
  }

  private List<Place<T>> detach(Segment<T> segment) {
    if (!segments.remove(segment)) {
      return List.of();
    }
    if (current == segment) {
      current = null;
    }
    List<Place<T>> lost = List.copyOf(segment.live);
    segment.live.clear();
    count -= lost.size();
    deletions++;
    disk.execute(
        () -> {
          boolean failed = !isDeleted(segment);
          loop.execute(() -> deleted(failed));
        });
    return lost;
  }

  private static boolean isDeleted(Segment<?> segment) {
    try {
      segment.delete();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private void deleted(boolean failed) {
    deletions--;
    if (failed) {
      owners.failed();
    }
  }

  /**
   * Reads a content back.
   *
   * @param blockBytes of each block but the last
   * @param then takes its blocks, or null if they are not what was written
   */
  public void read(Place<T> place, int blockBytes, Consumer<List<byte[]>> then) {
    disk.execute(
        () -> {
          List<byte[]> blocks = read(place, blockBytes);
          loop.execute(() -> then.accept(blocks));
        });
  }

  private static <T> List<byte[]> read(Place<T> place, int blockBytes) {
    List<byte[]> blocks = new ArrayList<>();
    try {
      for (long at = 0; at < place.length; at += blockBytes) {
        byte[] block = new byte[(int) Math.min(blockBytes, place.length - at)];
        place.segment.read(place.at + at, block);
        blocks.add(block);
      }
    } catch (IOException e) {
      return null;
    }
    return LogRecord.sum(blocks, place.length) == place.sum ? blocks : null;
  }

  /** Hears when all calls before this one are on the disk, also for a machine that crashes. */
  public void flush(Runnable then) {
    Segment<T> segment = current;
    disk.execute(
        () -> {
          if (segment != null) {
            force(segment);
          }
          loop.execute(() -> flushed(then));
        });
  }

  private void force(Segment<T> segment) {
    try {
      segment.force();
    } catch (IOException e) {
      loop.execute(owners::failed);
    }
  }

  /** Waits for the segments that go because something could not be written before. */
  private void flushed(Runnable then) {
    if (deletions > 0) {
      flush(then);
    } else {
      then.run();
    }
  }

  /** Contents in the log. */
  public long count() {
    return count;
  }

  /** Bytes of all files, as planned. */
  public long bytes() {
    long sum = 0;
    for (Segment<T> segment : segments) {
      sum += segment.end;
    }
    return sum;
  }

  /** Closes the files once all calls before this one are done. */
  @Override
  public void close() {
    List<Segment<T>> open = List.copyOf(segments);
    segments.clear();
    current = null;
    disk.execute(() -> open.forEach(Segment::close));
  }
}
