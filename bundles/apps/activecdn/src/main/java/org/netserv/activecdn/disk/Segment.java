// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.disk;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A file of the log.
 *
 * <pre>
 *   0         8          16            32
 *   | "NSCDN" | sequence | realm       | record | record | ...
 *   `- 1, 0, 0           `- of whose contents
 * </pre>
 *
 * The event loop plans where records go. The disk's thread alone touches the file, in the order of
 * the plans.
 */
final class Segment<T> {
  /** Bytes before the first record. */
  static final int HEAD = 32;

  /** Bytes of the name of a realm. */
  static final int REALM = 16;

  private static final long MAGIC = 0x4e5343444e010000L;

  final long sequence;
  final Path file;

  // Of the event loop.
  final Set<Place<T>> live = new LinkedHashSet<>();
  long end = HEAD;

  // Of the disk's thread.
  private FileChannel channel; // null = not open, or never again
  private boolean isBroken;

  Segment(Path directory, long sequence) {
    this.sequence = sequence;
    this.file = directory.resolve("%016x.log".formatted(sequence));
  }

  /** Writes the head of a file. */
  static ByteBuffer head(long sequence, byte[] realm) {
    return ByteBuffer.allocate(HEAD).putLong(MAGIC).putLong(sequence).put(realm).flip();
  }

  /** Tells whether a file that has this head belongs to a realm. */
  static boolean isHead(byte[] head, long sequence, byte[] realm) {
    return head(sequence, realm).equals(ByteBuffer.wrap(head));
  }

  /** Takes the file, open for reading and writing. */
  void open(FileChannel opened) {
    channel = opened;
  }

  /**
   * Writes at an offset. After a failure nothing more is written: records behind a gap would not be
   * found.
   */
  void write(long at, ByteBuffer head, List<byte[]> content, long length) throws IOException {
    if (isBroken || channel == null) {
      throw new IOException(file + " has failed before");
    }
    try {
      put(at, head, content, length);
    } catch (IOException e) {
      isBroken = true;
      cut(at);
      throw e;
    }
  }

  private void put(long at, ByteBuffer head, List<byte[]> content, long length) throws IOException {
    List<ByteBuffer> pieces = LogRecord.pieces(content, length);
    pieces.add(0, head);
    channel.position(at);
    ByteBuffer[] all = pieces.toArray(new ByteBuffer[0]);
    long wanted = head.remaining() + length;
    while (wanted > 0) {
      wanted -= channel.write(all);
    }
  }

  /** Takes a torn record away, so that it is not taken for damage later. */
  private void cut(long at) {
    try {
      channel.truncate(at);
    } catch (IOException e) {
      // The next opening takes it for damage, and doubts all that is older.
    }
  }

  /** Fills a buffer from an offset on. */
  void read(long at, byte[] into) throws IOException {
    if (channel == null) {
      throw new IOException(file + " is closed");
    }
    ByteBuffer buffer = ByteBuffer.wrap(into);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, at + buffer.position()) < 0) {
        throw new EOFException(file + " ends at " + (at + buffer.position()));
      }
    }
  }

  long size() throws IOException {
    return channel.size();
  }

  void truncate(long size) throws IOException {
    channel.truncate(size);
  }

  void force() throws IOException {
    if (channel != null) {
      channel.force(false);
    }
  }

  void close() {
    FileChannel open = channel;
    channel = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        // Nothing is buffered here, so nothing is lost.
      }
    }
  }

  /** Ends the file and its records. */
  void delete() throws IOException {
    close();
    Files.deleteIfExists(file);
  }
}
