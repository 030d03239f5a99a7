// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Verified bundles by content: {@code bundles/<sha256>.jar}. A file name appears only with its
 * whole content on disk.
 */
public final class BundleStore {
  private static final String SUFFIX = ".jar";
  private static final String HIDDEN = ".new";

  private final Path directory;

  /** Digests of stored bundles that their module's life does not know yet. */
  private final Set<String> pinned = ConcurrentHashMap.newKeySet();

  public BundleStore(Path directory) {
    this.directory = directory;
  }

  /**
   * Removes files that a killed controller left half written. Called once, before the first put.
   */
  public void clean() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(f -> f.getFileName().toString().startsWith(HIDDEN)).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  /**
   * Makes the bytes durable under their digest, and keeps them until {@link #unpin}. Any thread.
   */
  public void put(String sha256, byte[] bytes) throws IOException {
    pinned.add(sha256);
    Path target = path(sha256);
    Path hidden = Files.createTempFile(directory, HIDDEN, "");
    try {
      try (FileChannel out = FileChannel.open(hidden, StandardOpenOption.WRITE)) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
          out.write(buffer);
        }
        out.force(true);
      }
      Files.move(hidden, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(hidden);
    }
    try (FileChannel entry = FileChannel.open(directory, StandardOpenOption.READ)) {
      entry.force(true);
    }
  }

  /** Bytes that may still be written. */
  long free() {
    return directory.toFile().getUsableSpace();
  }

  public boolean contains(String sha256) {
    return sha256 != null && Files.isRegularFile(path(sha256));
  }

  public Path path(String sha256) {
    return directory.resolve(sha256 + SUFFIX);
  }

  /** Leaves the bundle to {@link #sweep} from now on. */
  public void unpin(String sha256) {
    pinned.remove(sha256);
  }

  /** Removes every bundle with a digest outside {@code used}, except for bundles just stored. */
  public void sweep(Set<String> used) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(f -> f.getFileName().toString().endsWith(SUFFIX)).toList()) {
        String name = file.getFileName().toString();
        String sha256 = name.substring(0, name.length() - SUFFIX.length());
        if (!used.contains(sha256) && !pinned.contains(sha256)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }
}
