// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The paths of a node's files below its root, as in the table of docs/architecture.md. */
public record NodePaths(Path root, Path dist) {

  Path etc() {
    return root.resolve("etc/netserv");
  }

  Path log() {
    return lib().resolve("log.mv");
  }

  Path key() {
    return lib().resolve("node.key");
  }

  Path bundles() {
    return lib().resolve("bundles");
  }

  Path audit() {
    return root.resolve("var/log/netserv/audit.log");
  }

  Path jobs() {
    return run().resolve("jobs");
  }

  Path socket(String name) {
    return run().resolve(name + ".sock");
  }

  /**
   * Returns the container socket. Its directory holds nothing else, so that containers see no other
   * socket.
   */
  Path containerSocket() {
    return run().resolve("container/container.sock");
  }

  Path blocks() {
    return dist.resolve("blocks");
  }

  private Path lib() {
    return root.resolve("var/lib/netserv");
  }

  private Path run() {
    return root.resolve("run/netserv");
  }

  /**
   * Makes the directories that are missing. The supervisor has made most of them, with the right
   * owners.
   */
  void make() throws IOException {
    for (Path directory :
        List.of(etc(), bundles(), audit().getParent(), jobs(), containerSocket().getParent())) {
      Files.createDirectories(directory);
    }
  }
}
