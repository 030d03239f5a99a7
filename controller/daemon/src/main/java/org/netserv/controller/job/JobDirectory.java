// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.netserv.frames.Json;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of one job. What the job left in it is foreign: regular files only, no links
 * followed, read once and bounded. The job has ended when it is read, so nothing changes
 * underneath.
 */
final class JobDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(JobDirectory.class);
  private static final int RESULT_MAX = 64 << 10;

  private final Path path;

  JobDirectory(Path path) {
    this.path = path;
  }

  /** Makes it, with its request. */
  static JobDirectory make(Path path, ObjectNode request) throws IOException {
    Files.createDirectory(path);
    // The job has a uid of its own and no group of ours; the parent directory keeps everybody else
    // out.
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path file = path.resolve("request.json");
    Files.write(file, Json.print(request));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    return new JobDirectory(path);
  }

  ObjectNode result() throws IOException {
    return Json.parse(read("result.json", RESULT_MAX));
  }

  byte[] bundle(int max) throws IOException {
    return read("bundle.jar", max);
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
   * Removes it with all that is in it; a job makes no directories that outlive it, so one level is
   * enough.
   */
  void delete() {
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      LOG.warn("job directory: {}", e.getMessage());
    }
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      LOG.warn("job directory: {}", e.getMessage());
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
