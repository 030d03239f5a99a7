// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where a node's files are: the paths of docs/architecture.md below one root. */
final class Paths {
  @Option(
      names = "--root",
      paramLabel = "DIR",
      defaultValue = "${NETSERV_ROOT:-/}",
      description = "The node's root directory (default: $NETSERV_ROOT, else /).")
  Path root = Path.of("/");

  Path etc() {
    return root.resolve("etc/netserv");
  }

  Path log() {
    return root.resolve("var/log/netserv");
  }

  Path run() {
    return root.resolve("run/netserv");
  }

  Path adminSocket() {
    return run().resolve("admin.sock");
  }

  /** The built tree, told by the launcher. */
  static Path dist() {
    return Path.of(System.getProperty("netserv.dist", "target/dist")).toAbsolutePath();
  }

  static Path javaHome() {
    return Path.of(System.getProperty("netserv.java", System.getProperty("java.home")));
  }
}
