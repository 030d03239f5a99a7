// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Copies the logs of a testbed, because they are deleted with it. */
final class KeptLogs {
  /** Most bytes of each log. The end of a log is kept. */
  static final int BYTES_MAX = 1 << 20;

  private KeptLogs() {}

  /**
   * Copies the ends of all logs in place of the logs that were kept before.
   *
   * @param state the testbed's directory
   * @param to the directory of the copies: {@code NODE-DAEMON.log}
   */
  static void copy(Path state, Path to) throws IOException {
    Files.createDirectories(to);
    try (DirectoryStream<Path> former = Files.newDirectoryStream(to, "*.log")) {
      for (Path log : former) {
        Files.delete(log);
      }
    }
    copyAll(state.resolve("log"), to, "");
    try (DirectoryStream<Path> nodes = Files.newDirectoryStream(state, Files::isDirectory)) {
      for (Path node : nodes) {
        copyAll(node.resolve("var/log/netserv"), to, node.getFileName() + "-");
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static void copyAll(Path from, Path to, String prefix) throws IOException {
    if (!Files.isDirectory(from)) {
      return;
    }
    try (DirectoryStream<Path> logs = Files.newDirectoryStream(from, "*.log")) {
      for (Path log : logs) {
        copyEnd(log, to.resolve(prefix + log.getFileName()));
      }
    }
  }

  private static void copyEnd(Path log, Path copy) throws IOException {
    try (SeekableByteChannel from = Files.newByteChannel(log)) {
      from.position(Math.max(0, from.size() - BYTES_MAX));
      InputStream end = Channels.newInputStream(from);
      Files.write(copy, end.readNBytes(BYTES_MAX)); // the node may still write
    }
  }
}
