// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Finds a node that already runs in this network namespace, such as a node of another checkout. Two
 * nodes in one namespace would write the same firewall table and chains.
 *
 * @param pid process id of its supervisor
 * @param root its root directory, as the supervisor was told
 */
record OtherNode(long pid, String root) {
  private static final String SUPERVISOR = "/bin/supervisor";

  /**
   * Returns the first node found. Skips a process that ends meanwhile or that this user may not
   * look at.
   */
  static Optional<OtherNode> find(Path proc) throws IOException {
    Path own = Files.readSymbolicLink(proc.resolve("self/ns/net"));
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
      for (Path process : processes) {
        Optional<OtherNode> node = read(process, own);
        if (node.isPresent()) {
          return node;
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<OtherNode> read(Path process, Path own) {
    try {
      List<String> words = List.of(Files.readString(process.resolve("cmdline")).split("\0", -1));
      int root = words.indexOf("--root");
      if (!words.get(0).endsWith(SUPERVISOR)
          || root < 0
          || !Files.readSymbolicLink(process.resolve("ns/net")).equals(own)) {
        return Optional.empty();
      }
      long pid = Long.parseLong(process.getFileName().toString());
      return Optional.of(new OtherNode(pid, words.get(root + 1)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Returns the text for the operator: the reason why a second node is refused, and the remedy. */
  String refusal() {
    return "a node with the root "
        + root
        + " runs in this network namespace (process "
        + pid
        + "); both would write the table inet netserv. Stop it first, or run this node in another"
        + " namespace";
  }
}
