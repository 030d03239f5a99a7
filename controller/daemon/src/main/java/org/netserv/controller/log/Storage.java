// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Random;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the free space under the node's state with a reserve. Below the reserve no new SETUP is
 * accepted. Containers' file systems are sparse and may take the rest of the disk, so a file of
 * {@link #BALLAST} bytes holds room back. It is deleted when a record of something that runs does
 * not fit any more, and made again when there is space.
 */
public final class Storage {
  private static final Logger LOG = LoggerFactory.getLogger(Storage.class);
  private static final int MIB = 1 << 20;

  /** Bytes that are held back: hundreds of records, or an image of the whole state. */
  public static final int BALLAST = 4 * MIB;

  private final Path directory;
  private final Path ballast;
  private final LongSupplier reserve;

  /**
   * Writes nothing before {@link #keep}.
   *
   * @param directory of the state
   * @param reserve bytes that must be free for a new SETUP; asked each time
   */
  public Storage(Path directory, LongSupplier reserve) {
    this.directory = directory;
    this.ballast = directory.resolve("log.reserve");
    this.reserve = reserve;
  }

  /** Returns the bytes that this process may still write. */
  public long free() {
    return directory.toFile().getUsableSpace();
  }

  public long reserve() {
    return reserve.getAsLong();
  }

  /** Returns the reason for which no new SETUP is accepted now, if there is one. */
  public Optional<String> full() {
    long free = free();
    if (free < reserve()) {
      return Optional.of(
          "the disk under the node's state is full: "
              + free / MIB
              + " MiB free, the reserve is "
              + reserve() / MIB
              + " MiB");
    }
    return Optional.empty();
  }

  /** Makes the ballast if it is missing and there is room for it beside the reserve. */
  public void keep() {
    if (Files.exists(ballast) || free() < reserve() + BALLAST) {
      return;
    }
    try {
      fill();
      LOG.info("{}: {} MiB held back for what runs", ballast, BALLAST / MIB);
    } catch (IOException e) {
      LOG.warn("{}: {}", ballast, e.getMessage());
      release();
    }
  }

  /** Writes bytes that no file system compresses or leaves out. */
  private void fill() throws IOException {
    byte[] block = new byte[MIB];
    new Random(1).nextBytes(block);
    try (FileChannel out =
        FileChannel.open(ballast, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (int written = 0; written < BALLAST; written += block.length) {
        ByteBuffer buffer = ByteBuffer.wrap(block);
        while (buffer.hasRemaining()) {
          out.write(buffer);
        }
      }
      out.force(true);
    }
  }

  /**
   * Deletes the ballast to make room for the next writer. Returns false when there is no ballast.
   */
  boolean release() {
    try {
      return Files.deleteIfExists(ballast);
    } catch (IOException e) {
      LOG.warn("{}: {}", ballast, e.getMessage());
      return false;
    }
  }
}
