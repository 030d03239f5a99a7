// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks the operator's own programs for the kernel as the spawner will see them at the node's
 * start. One finding names all programs that the spawner would take, and each other program has its
 * own. Only {@code node status} shows whether the kernel takes them.
 */
final class ProgramChecks {
  private static final String CHECK = "programs";
  private static final Pattern NAME = Pattern.compile("((?:xdp|tc)-[2-7])\\.bpf\\.o");

  /** The output of {@code stat -c '%u %a %F'} for a file that root alone can write. */
  private static final Pattern OF_ROOT = Pattern.compile("0 [0-7]*[0145][0145] (.*)");

  private final HostFacts host;
  private final String directory;

  /**
   * @param etc the node's {@code etc/netserv}
   */
  ProgramChecks(HostFacts host, Path etc) {
    this.host = host;
    this.directory = etc.resolve("programs.d").toString();
  }

  List<Finding> examine() {
    List<String> names =
        host.list(directory).stream().filter(name -> !name.startsWith(".")).toList();
    if (names.isEmpty()) {
      return List.of(Finding.ok(CHECK, "the operator has none for the kernel"));
    }
    if (!isOfRoot(directory, "directory")) {
      return List.of(
          Finding.warn(
              CHECK,
              directory + " is not a directory that root alone can write: nothing in it is taken",
              "chown root: " + directory + " && chmod 755 " + directory));
    }
    List<Finding> findings = new ArrayList<>();
    List<String> slots = new ArrayList<>();
    for (String name : names) {
      Matcher slot = NAME.matcher(name);
      if (!slot.matches()) {
        findings.add(refused(name, "is not named {xdp,tc}-{2..7}.bpf.o", "rename it, or move it"));
      } else if (!isOfRoot(directory + "/" + name, "regular")) {
        String remedy = "install it with: install -o root -m 644";
        findings.add(refused(name, "is not a file that root alone can write", remedy));
      } else {
        slots.add(slot.group(1));
      }
    }
    if (!slots.isEmpty()) {
      findings.add(Finding.ok(CHECK, "of the operator's own: " + String.join(" ", slots)));
    }
    return findings;
  }

  private static Finding refused(String name, String why, String remedy) {
    return Finding.warn(CHECK, name + " " + why + ": it is not taken", remedy);
  }

  private boolean isOfRoot(String path, String kind) {
    Matcher said = OF_ROOT.matcher(host.run("stat", "-c", "%u %a %F", path).output().strip());
    return said.matches() && said.group(1).startsWith(kind);
  }
}
