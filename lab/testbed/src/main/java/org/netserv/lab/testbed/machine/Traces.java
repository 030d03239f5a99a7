// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.machine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Everything that an installation and a node can leave on a system, by kind: files, rules, links,
 * settings of the network, cgroups, mounts, network namespaces, pinned programs, units, processes.
 * Two systems with equal traces have the same things.
 */
public record Traces(Map<String, TreeSet<String>> kinds) {
  /**
   * Scripts that print a line for each thing of their kind. They leave out the files that systemd
   * itself writes.
   */
  private static final Map<String, String> SCRIPTS = new LinkedHashMap<>();

  static {
    SCRIPTS.put(
        "files",
        """
        find / -xdev \\( -path /src -o -path /src2 -o -path /root -o -path /tmp -o -path /var/tmp \\
            -o -path /var/log/journal -o -path /var/lib/systemd \\) -prune \\
            -o -type d -printf '%p %y %m %U\\n' -o -printf '%p %y %m %U %s %l\\n'
        find /run -path /run/systemd -prune -o -path /run/log -prune \\
            -o ! -name xtables.lock -printf '%p %y %m %U\\n'
        """);
    SCRIPTS.put("rules", "nft -s list ruleset; iptables-legacy-save 2>/dev/null | grep -v '^#'");
    SCRIPTS.put("links", "ip -o link show | cut -d' ' -f2; ip rule; ip -6 rule");
    SCRIPTS.put(
        "settings",
        "sysctl -a 2>/dev/null | grep -E '^net.*(rp_filter|accept_local|forward|route_localnet)'");
    SCRIPTS.put(
        "cgroups",
        "find /sys/fs/cgroup -type d -iname '*netserv*'; find /sys/fs/cgroup -maxdepth 2 -type d");
    SCRIPTS.put("mounts", "cut -d' ' -f2,3 /proc/1/mounts");
    SCRIPTS.put("namespaces", "ls /run/netns 2>/dev/null; lsns -n -t net -o NS");
    SCRIPTS.put("programs", "find /sys/fs/bpf -mindepth 1; ip -o -d link | grep -o 'prog/[a-z]*'");
    SCRIPTS.put("units", "systemctl list-unit-files --no-legend --no-pager");
    SCRIPTS.put("processes", "ps -eo args | grep -i '[n]etserv' | grep -v sh.-c");
  }

  /** Records the traces of a system. */
  public static Traces of(Machine machine) throws IOException {
    Map<String, TreeSet<String>> kinds = new LinkedHashMap<>();
    for (Map.Entry<String, String> script : SCRIPTS.entrySet()) {
      kinds.put(
          script.getKey(),
          new TreeSet<>(machine.shell(script.getValue()).output().lines().toList()));
    }
    return new Traces(kinds);
  }

  /**
   * Returns the things of one kind that have appeared since then, and the things that have
   * disappeared.
   */
  public List<String> since(Traces before, String kind) {
    List<String> changes = new ArrayList<>();
    kinds.get(kind).stream()
        .filter(line -> !before.kinds.get(kind).contains(line))
        .forEach(line -> changes.add("+ " + line));
    before.kinds.get(kind).stream()
        .filter(line -> !kinds.get(kind).contains(line))
        .forEach(line -> changes.add("- " + line));
    return changes;
  }
}
