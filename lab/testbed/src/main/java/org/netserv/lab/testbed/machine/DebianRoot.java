// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Shell;

/**
 * The root directory of a fresh Debian with systemd and the packages that an installed node needs.
 * debootstrap makes it once below {@code target/roots}. Nothing ever writes to it.
 */
public final class DebianRoot {
  private static final String SUITE = "bookworm";
  private static final String PACKAGES =
      "systemd,systemd-sysv,openjdk-17-jre-headless,nftables,iptables,iproute2,procps,util-linux,"
          + "e2fsprogs,libmnl0,libnetfilter-queue1,libbpf1";

  private DebianRoot() {}

  /** Returns the directory, and makes it first if it does not exist. */
  public static Path get() throws IOException {
    Path roots = Files.createDirectories(LabHome.home().resolve("target/roots"));
    Path root = roots.resolve(SUITE);
    if (!Files.isDirectory(root)) {
      Path fresh = roots.resolve(SUITE + ".new");
      Shell.run("rm", "-rf", "--one-file-system", fresh.toString());
      make(fresh, roots.resolve(SUITE + ".log"));
      Files.move(fresh, root, StandardCopyOption.ATOMIC_MOVE);
    }
    return root;
  }

  private static void make(Path root, Path log) throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("debootstrap", "--variant=minbase", "--include=" + PACKAGES, SUITE));
    command.add(root.toString());
    String mirror = System.getenv("NETSERV_MIRROR");
    if (mirror != null) {
      command.add(mirror);
    }
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      if (process.waitFor() != 0) {
        throw new LabException("debootstrap failed:\n" + Testbed.tail(log, 5));
      }
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    }
  }
}
