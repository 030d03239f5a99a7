// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The paths of a node's files below one root, as in docs/architecture.md. */
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

  /** Returns the built tree, which the launcher names in a system property. */
  static Path dist() {
    return Path.of(System.getProperty("netserv.dist", "target/dist")).toAbsolutePath();
  }

  static Path javaHome() {
    return Path.of(System.getProperty("netserv.java", System.getProperty("java.home")));
  }
}
