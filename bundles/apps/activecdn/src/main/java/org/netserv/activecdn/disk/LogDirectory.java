// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The directory of a log, and what an earlier process left there.
 *
 * <p>A damaged file may hide that a content was removed or invalidated. All contents that are older
 * than the damage are doubted then: they are there, and an origin has to confirm each before its
 * next use. A record that is torn at the very end of the log is none: the process ended before
 * anybody heard of it.
 *
 * @param <T> the owner of a content
 */
public final class LogDirectory<T> {
  private static final Pattern NAME = Pattern.compile("[0-9a-f]{16}\\.log");

  /** Hears of the records, from the oldest on. */
  public interface Replay<T> {
    /** Returns the owner of a content, or null for one of no use. */
    T stored(byte[] about, long length);

    /** Takes another description. Returns false if the content is of no use any more. */
    boolean updated(T owner, byte[] about);

    /** Hears that the description may be out of date. */
    void doubted(T owner);
  }

  /** Opens the file of a segment. Tests open files that fail. */
  interface Opener {
    FileChannel open(Path file) throws IOException;
  }

  private final Path path;
  private final byte[] realm;
  private final Opener opener;
  private final Deque<Segment<T>> segments = new ArrayDeque<>();
  private final Map<Long, Place<T>> places = new LinkedHashMap<>();
  private Segment<T> unfinished; // null = none
  private long nextSequence;
  private long nextId;

  /**
   * Names a directory.
   *
   * @param realm the contents' place of origin: contents of another one are deleted
   */
  public LogDirectory(Path path, String realm) {
    this(path, realm, LogDirectory::openFile);
  }

  LogDirectory(Path path, String realm, Opener opener) {
    this.path = path;
    this.opener = opener;
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(realm.getBytes(StandardCharsets.UTF_8));
      this.realm = Arrays.copyOf(digest, Segment.REALM);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static FileChannel openFile(Path file) throws IOException {
    return FileChannel.open(
        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  /** Deletes the log in a directory, if there is one, and the directory. */
  public static void delete(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      for (Path file : files(path)) {
        Files.delete(file);
      }
      Files.delete(path);
    }
  }

  private static List<Path> files(Path path) throws IOException {
    try (Stream<Path> all = Files.list(path)) {
      return all.filter(file -> NAME.matcher(file.getFileName().toString()).matches())
          .sorted()
          .toList();
    }
  }

  /**
   * Opens the directory, and makes it if it is not there.
   *
   * @param limit bytes of all files, beyond which the oldest ones are deleted
   */
  public LogDirectory<T> open(long limit, Replay<T> replay) throws IOException {
    Files.createDirectories(path);
    List<Path> files = new ArrayList<>(files(path));
    long bytes = 0;
    for (int i = files.size() - 1; i >= 0; i--) {
      bytes += Files.size(files.get(i));
      if (bytes > limit) {
        Files.delete(files.remove(i));
      }
    }
    try {
      for (int i = 0; i < files.size(); i++) {
        add(files.get(i), i == files.size() - 1, replay);
      }
    } catch (IOException e) {
      segments.forEach(Segment::close);
      throw e;
    }
    return this;
  }

  private void add(Path file, boolean last, Replay<T> replay) throws IOException {
    String name = file.getFileName().toString();
    long sequence = Long.parseUnsignedLong(name.substring(0, name.indexOf('.')), 16);
    boolean gap = !segments.isEmpty() && sequence != nextSequence;
    nextSequence = sequence + 1;
    if (gap) {
      doubt(replay);
    }
    Segment<T> segment = new Segment<>(path, sequence);
    segment.open(opener.open(file));
    segments.add(segment);
    if (!isOurs(segment)) {
      doubt(replay);
      segments.remove(segment);
      segment.delete();
      return;
    }
    SegmentScan scan =
        new SegmentScan(segment, (head, about, at) -> hear(segment, head, about, at, replay));
    SegmentScan.End end = scan.run();
    segment.end = scan.end();
    if (end == SegmentScan.End.TORN) {
      segment.truncate(segment.end);
    }
    if (end == SegmentScan.End.DAMAGED || (end == SegmentScan.End.TORN && !last)) {
      doubt(replay);
    } else if (last) {
      unfinished = segment;
    }
  }

  private boolean isOurs(Segment<T> segment) throws IOException {
    if (segment.size() < Segment.HEAD) {
      return false;
    }
    byte[] head = new byte[Segment.HEAD];
    segment.read(0, head);
    return Segment.isHead(head, segment.sequence, realm);
  }

  private void hear(
      Segment<T> segment, LogRecord.Head head, byte[] about, long at, Replay<T> replay) {
    nextId = Math.max(nextId, head.id() + 1);
    Place<T> known = places.get(head.id());
    switch (head.kind()) {
      case STORED -> {
        T owner = known == null ? replay.stored(about, head.content()) : null;
        if (owner != null) {
          Place<T> place = new Place<>(owner, head.id(), segment, at, head.content());
          place.sum = head.contentSum();
          place.isWritten = true;
          places.put(head.id(), place);
          segment.live.add(place);
        }
      }
      case UPDATED -> {
        if (known != null && !replay.updated(known.owner, about)) {
          forget(known);
        }
      }
      case REMOVED -> {
        if (known != null) {
          forget(known);
        }
      }
    }
  }

  private void forget(Place<T> place) {
    places.remove(place.id);
    place.segment.live.remove(place);
  }

  private void doubt(Replay<T> replay) {
    places.values().forEach(place -> replay.doubted(place.owner));
  }

  /** The contents that there are, from the oldest on. */
  public List<Place<T>> places() {
    return List.copyOf(places.values());
  }

  Deque<Segment<T>> segments() {
    return segments;
  }

  /** The last segment, if records may be added to it; null = none. */
  Segment<T> unfinished() {
    return unfinished;
  }

  long nextSequence() {
    return nextSequence;
  }

  long nextId() {
    return nextId;
  }

  /** Names a segment that has no file yet. */
  Segment<T> segment(long sequence) {
    return new Segment<>(path, sequence);
  }

  /** Makes the file of a segment. */
  void create(Segment<T> segment) throws IOException {
    segment.open(opener.open(segment.file));
    segment.write(0, Segment.head(segment.sequence, realm), List.of(), 0);
  }
}
