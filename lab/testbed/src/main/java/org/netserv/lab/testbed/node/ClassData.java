// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.node;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.netserv.lab.testbed.LabHome;

/**
 * The archive of class data that a node makes at its first start, handed from one testbed to the
 * next: a machine with a node has made it long ago, and four nodes that make it at the same time
 * have no time for anything else. A node takes only one that was made from what it has itself.
 */
final class ClassData {
  private static final String DIRECTORY = "var/lib/netserv/cds";
  private static final String ARCHIVES = "*.jsa";

  private ClassData() {}

  /** Before a node's first start. */
  static void give(Path root) throws IOException {
    copy(kept(), root.resolve(DIRECTORY));
  }

  /** When a node has served. */
  static void keep(Path root) throws IOException {
    copy(root.resolve(DIRECTORY), kept());
  }

  private static Path kept() {
    return LabHome.dist().resolveSibling("lab-class-data");
  }

  private static void copy(Path from, Path to) throws IOException {
    if (!Files.isDirectory(from)) {
      return;
    }
    Files.createDirectories(to);
    try (DirectoryStream<Path> archives = Files.newDirectoryStream(from, ARCHIVES)) {
      for (Path archive : archives) {
        Path target = to.resolve(archive.getFileName());
        if (!Files.exists(target)) {
          Path part = Files.createTempFile(to, "part", "");
          Files.copy(
              archive,
              part,
              StandardCopyOption.REPLACE_EXISTING,
              StandardCopyOption.COPY_ATTRIBUTES);
          Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
        }
      }
    }
  }
}
