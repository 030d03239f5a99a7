// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The videos on the disk. A video is made once, on one thread, however many ask for it meanwhile.
 * The one that was not asked for longest goes when there is no room. All go with a restart.
 */
final class Videos implements AutoCloseable {
  private static final int WAITING = 16; // videos that may wait to be made
  private static final long SECOND = 1_000_000_000;

  /**
   * Settings of the store.
   *
   * @param bytes of all videos together
   * @param refreshSeconds age at which a video with text is made anew
   * @param retrySeconds age at which one without text is tried again
   */
  record Room(Path directory, long bytes, int refreshSeconds, int retrySeconds) {}

  /** A video, or the work on it. */
  private static final class Entry {
    final CompletableFuture<Video> video = new CompletableFuture<>();
    long until = Long.MAX_VALUE; // when it is made anew; set when it is there
    long length;
  }

  private final Room room;
  private final Maker maker;
  private final LongSupplier clock;
  private final Counts tally;
  private final Map<String, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
  private final ThreadPoolExecutor worker;
  private long used;
  private int serial;

  Videos(Room room, Maker maker, LongSupplier clock, Counts tally) throws IOException {
    this.room = room;
    this.maker = maker;
    this.clock = clock;
    this.tally = tally;
    delete(room.directory());
    Files.createDirectories(room.directory());
    worker =
        new ThreadPoolExecutor(
            1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING), Videos::thread);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "watermark-maker");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Returns the video of a path, when it is there.
   *
   * @return fails with a RejectedExecutionException if too many wait, or with the origin's failure
   */
  synchronized CompletableFuture<Video> get(String path) {
    Entry entry = entries.get(path);
    if (entry != null && clock.getAsLong() < entry.until) {
      tally.count(entry.video.isDone() ? Why.KEPT : Why.JOINED);
      return entry.video;
    }
    remove(path, entry);
    Entry fresh = new Entry();
    Path directory = room.directory().resolve(Integer.toString(serial++));
    try {
      worker.execute(() -> make(path, fresh, directory));
    } catch (RejectedExecutionException e) {
      tally.count(Why.REFUSED_BUSY);
      return CompletableFuture.failedFuture(e);
    }
    entries.put(path, fresh);
    return fresh.video;
  }

  private void make(String path, Entry entry, Path directory) {
    try {
      Files.createDirectory(directory);
      Video video = maker.make(path, directory);
      keep(entry, video);
      entry.video.complete(video);
    } catch (IOException | RuntimeException e) {
      fail(path, entry, directory, e);
    }
  }

  private synchronized void keep(Entry entry, Video video) {
    entry.length = video.length();
    used += entry.length;
    entry.until =
        clock.getAsLong()
            + SECOND * (video.applied() ? room.refreshSeconds() : room.retrySeconds());
    Iterator<Map.Entry<String, Entry>> oldest = entries.entrySet().iterator();
    while (used > room.bytes() && oldest.hasNext()) {
      Map.Entry<String, Entry> at = oldest.next();
      if (at.getValue().video.isDone()) {
        oldest.remove();
        tally.count(Why.EVICTED);
        forget(at.getValue());
      }
    }
    if (used > room.bytes()) {
      entry.until = clock.getAsLong(); // larger than the whole room: served once
    }
  }

  private synchronized void fail(String path, Entry entry, Path directory, Exception e) {
    entries.remove(path, entry);
    try {
      delete(directory);
    } catch (IOException | UncheckedIOException left) {
      e.addSuppressed(left);
    }
    tally.count(e instanceof Fetch.StatusException ? Why.ORIGIN_FAILED : Why.STORE_FAILED);
    entry.video.completeExceptionally(e);
  }

  private void remove(String path, Entry entry) {
    if (entry != null) {
      entries.remove(path);
      forget(entry);
    }
  }

  /** Deletes the files of a video. A response that is under way has its file open. */
  private void forget(Entry entry) {
    used -= entry.length;
    Video video = entry.video.getNow(null);
    try {
      if (video != null) {
        delete(video.file().getParent());
      }
    } catch (IOException | UncheckedIOException e) {
      tally.count(Why.STORE_FAILED);
    }
  }

  private static void delete(Path tree) throws IOException {
    if (Files.notExists(tree)) {
      return;
    }
    List<Path> paths;
    try (Stream<Path> walk = Files.walk(tree)) {
      paths = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : paths) {
      Files.delete(path);
    }
  }

  /** Ends the work. Callers that wait for a video get a failure. */
  @Override
  public void close() {
    worker.shutdownNow();
    synchronized (this) {
      entries
          .values()
          .forEach(e -> e.video.completeExceptionally(new IOException("the module stops")));
    }
  }
}
