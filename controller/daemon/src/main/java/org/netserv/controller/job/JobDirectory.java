// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.netserv.artifact.job.JobRequest;
import org.netserv.artifact.job.JobResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of one job. The files that the job left in it are foreign. Only regular files are
 * read, once and within bounds, and no links are followed. The job has ended by then, so nothing
 * changes underneath.
 */
final class JobDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(JobDirectory.class);

  private final Path path;

  JobDirectory(Path path) {
    this.path = path;
  }

  /** Makes the directory with the request in it. */
  static JobDirectory make(Path path, JobRequest request) throws IOException {
    Files.createDirectory(path);
    // The spawner hands the directory and its files to the job's uid, and leaves them to our group.
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwx---"));
    request.write(path);
    return new JobDirectory(path);
  }

  JobResult result() throws IOException {
    return JobResult.read(path);
  }

  byte[] bundle(int max) throws IOException {
    return read(JobResult.BUNDLE, max);
  }

  private byte[] read(String name, int max) throws IOException {
    Path file = path.resolve(name);
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(name + " is missing");
    }
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      byte[] bytes = in.readNBytes(max);
      if (in.read() >= 0) {
        throw new IOException(name + " is longer than " + max + " bytes");
      }
      return bytes;
    }
  }

  /**
   * Removes the directory with all its files. Files that cannot be removed are left to the next
   * start.
   */
  void delete() {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("job directory: {}", e.toString());
    }
  }

  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
