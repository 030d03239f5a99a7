// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.doctor;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** Checks the free space under a node's state and under its logs. */
final class StorageCheck {
  /**
   * The default of {@code disk-reserve}, and the space that the controller holds back beside it.
   */
  private static final long NEEDED_KIB = 36 << 10;

  private final HostFacts host;
  private final Path root;

  StorageCheck(HostFacts host, Path root) {
    this.host = host;
    this.root = root;
  }

  Finding examine() {
    for (String directory : List.of("var/lib/netserv", "var/log/netserv")) {
      OptionalLong free = freeKib(root.resolve(directory));
      if (free.isPresent() && free.getAsLong() < NEEDED_KIB) {
        return Finding.warn(
            "disk-space",
            free.getAsLong() / 1024 + " MiB free for " + root.resolve(directory),
            "make room: a node whose disk is full refuses new SETUPs with 507");
      }
    }
    return Finding.ok("disk-space", "room for the node's state and logs");
  }

  /** Returns the free space of the file system; empty for a directory that is still to be made. */
  private OptionalLong freeKib(Path directory) {
    HostFacts.Run run = host.run("df", "-Pk", directory.toString());
    String[] fields = run.status() == 0 ? run.line().trim().split("\\s+") : new String[0];
    // The header has seven words. The line has six: file system, blocks, used, available, share,
    // mount.
    return fields.length >= 6 && fields[fields.length - 3].matches("[0-9]{1,18}")
        ? OptionalLong.of(Long.parseLong(fields[fields.length - 3]))
        : OptionalLong.empty();
  }
}
