// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.doctor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.netserv.cli.doctor.Finding.Level;

/**
 * Checks whether this machine can be a node, one finding per fact, each with its remedy. Nothing on
 * the machine is changed; what must be tried is tried in a namespace that ends with the try.
 */
public final class Doctor {
  private static final int LANDLOCK_NEEDED = 4; // the first ABI that bounds TCP ports
  private static final long MEMORY_NEEDED_MIB = 512;
  private static final int FIRST_ID = 690_000;
  private static final int LAST_ID = 704_095;

  private final Host host;
  private final String probe;
  private final List<Function<Map<String, String>, Finding>> checks = new ArrayList<>();

  /**
   * @param host the machine
   * @param probe path of the program {@code bin/probe}
   */
  public Doctor(Host host, String probe) {
    this.host = host;
    this.probe = probe;
    checks.add(features -> root());
    checks.add(features -> java());
    checks.add(features -> memory());
    checks.add(features -> yes(features, "netlink-netfilter", "netfilter over netlink"));
    checks.add(features -> queues());
    checks.add(features -> conntrackTarget());
    checks.add(features -> legacyTables());
    checks.add(features -> yes(features, "namespaces", "mount, net, ipc, uts and pid namespaces"));
    checks.add(features -> yes(features, "sealed-memfd", "sealed shared memory"));
    checks.add(features -> yes(features, "no-new-privs", "no_new_privs"));
    checks.add(features -> layer(features, "user-namespace", "user namespaces"));
    checks.add(features -> layer(features, "seccomp", "seccomp"));
    checks.add(this::landlock);
    checks.add(features -> cgroups());
    checks.add(
        features ->
            forwarding("ip_forward", "/proc/sys/net/ipv4/ip_forward", "net.ipv4.ip_forward"));
    checks.add(
        features ->
            forwarding(
                "ipv6-forward",
                "/proc/sys/net/ipv6/conf/all/forwarding",
                "net.ipv6.conf.all.forwarding"));
    checks.add(features -> reversePathFilter());
    checks.add(features -> ids());
  }

  /** All findings, in a fixed order. */
  public List<Finding> examine() {
    Map<String, String> features = features();
    return checks.stream().map(check -> check.apply(features)).toList();
  }

  private Map<String, String> features() {
    Map<String, String> features = new HashMap<>();
    for (String line : host.run(probe).output().lines().toList()) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        features.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    return features;
  }

  private Finding root() {
    String uid = host.run("id", "-u").output().trim();
    return uid.equals("0")
        ? Finding.ok("root", "running as root")
        : Finding.warn("root", "not running as root: some checks cannot see", "run it with sudo");
  }

  private static Finding java() {
    int feature = Runtime.version().feature();
    return feature >= 17
        ? Finding.ok("java", "Java " + Runtime.version())
        : Finding.fail(
            "java", "Java " + feature + " is too old", "install openjdk-17-jdk-headless");
  }

  private Finding memory() {
    long available =
        host.read("/proc/meminfo")
            .orElse("")
            .lines()
            .filter(line -> line.startsWith("MemAvailable:"))
            .mapToLong(line -> number(line.replaceAll("[^0-9]", "")) / 1024)
            .findFirst()
            .orElse(0);
    return available >= MEMORY_NEEDED_MIB
        ? Finding.ok("memory", available + " MiB available")
        : Finding.warn(
            "memory",
            available + " MiB available",
            "a node with one container wants " + MEMORY_NEEDED_MIB + " MiB");
  }

  /** A node cannot do without it. */
  private static Finding yes(Map<String, String> features, String key, String what) {
    return probed(features, key, what, Level.FAIL, "needs a kernel that has it, and root");
  }

  private static Finding layer(Map<String, String> features, String key, String what) {
    return probed(
        features,
        key,
        what,
        Level.WARN,
        "containers run without this layer; enable it in the kernel");
  }

  private static Finding probed(
      Map<String, String> features, String key, String what, Level without, String remedy) {
    String value = features.getOrDefault(key, "no:not probed");
    return value.equals("yes")
        ? Finding.ok(key, what)
        : new Finding(key, without, what + ": " + value, remedy);
  }

  private Finding landlock(Map<String, String> features) {
    int abi = number(features.getOrDefault("landlock-abi", "0"));
    if (abi >= LANDLOCK_NEEDED) {
      return Finding.ok("landlock", "Landlock ABI " + abi);
    }
    String text = abi == 0 ? "no Landlock" : "Landlock ABI " + abi + " does not bound TCP ports";
    return Finding.warn("landlock", text, "use a kernel >= 6.7 with landlock in its lsm= list");
  }

  /** Tries the very rules a node writes, in a network namespace that ends with the try. */
  private Finding queues() {
    Host.Run run =
        host.run(
            "unshare",
            "-n",
            "iptables-nft",
            "-t",
            "raw",
            "-A",
            "PREROUTING",
            "-p",
            "udp",
            "-j",
            "NFQUEUE",
            "--queue-num",
            "0",
            "--queue-bypass");
    return run.status() == 0
        ? Finding.ok("nfqueue", "netfilter queues with bypass")
        : Finding.fail(
            "nfqueue", oneLine(run), "needs iptables (nf_tables) and a kernel with NFQUEUE");
  }

  private Finding conntrackTarget() {
    Host.Run run =
        host.run(
            "unshare",
            "-n",
            "iptables-nft",
            "-t",
            "raw",
            "-A",
            "PREROUTING",
            "-j",
            "CT",
            "--notrack");
    return run.status() == 0
        ? Finding.ok("notrack", "turned packets can be kept out of conntrack")
        : Finding.fail("notrack", oneLine(run), "needs a kernel with the CT target");
  }

  private Finding legacyTables() {
    String tables = host.read("/proc/net/ip_tables_names").orElse("");
    return tables.isBlank()
        ? Finding.ok("iptables", "no legacy tables beside ours")
        : Finding.warn(
            "iptables",
            "legacy tables in use: " + tables.replace('\n', ' '),
            "move those rules to iptables-nft: two rule sets decide about each packet");
  }

  private Finding cgroups() {
    if (host.read("/sys/fs/cgroup/cgroup.controllers").orElse("").contains("memory")) {
      return Finding.ok("cgroups", "cgroup v2");
    }
    List<String> mounted = host.list("/sys/fs/cgroup");
    List<String> missing =
        List.of("memory", "cpu", "pids").stream().filter(name -> !mounted.contains(name)).toList();
    return missing.isEmpty()
        ? Finding.ok("cgroups", "cgroup v1: memory, cpu, pids")
        : Finding.warn(
            "cgroups",
            "no controller for " + String.join(", ", missing),
            "mount cgroup2 on /sys/fs/cgroup; containers run without these limits");
  }

  private Finding forwarding(String check, String file, String sysctl) {
    String value = host.read(file).orElse("absent");
    return value.equals("1")
        ? Finding.ok(check, sysctl + " = 1")
        : Finding.warn(
            check,
            sysctl + " = " + value + ": this machine does not route",
            "sysctl -w " + sysctl + "=1");
  }

  /**
   * The larger of {@code all} and the interface counts; 1 drops every packet that a module turns
   * around.
   */
  private Finding reversePathFilter() {
    String base = "/proc/sys/net/ipv4/conf/";
    int all = number(host.read(base + "all/rp_filter").orElse("0"));
    List<String> strict =
        host.list(base).stream()
            .filter(name -> !name.equals("all") && !name.equals("default") && !name.equals("lo"))
            .filter(
                name ->
                    Math.max(all, number(host.read(base + name + "/rp_filter").orElse("0"))) == 1)
            .toList();
    return strict.isEmpty()
        ? Finding.ok("rp_filter", "0 or 2 on every interface")
        : Finding.warn(
            "rp_filter",
            "strict on "
                + String.join(", ", strict)
                + ": answers of packet modules would be dropped there",
            "set it to 2 (loose), or let the node do it: sysctl: set in node.yaml");
  }

  private Finding ids() {
    boolean clash =
        host.read("/etc/passwd")
            .orElse("")
            .lines()
            .map(line -> line.split(":", -1))
            .filter(fields -> fields.length > 2)
            .mapToInt(fields -> number(fields[2]))
            .anyMatch(uid -> uid >= FIRST_ID && uid <= LAST_ID);
    return clash
        ? Finding.fail(
            "ids",
            "a user of this machine has a uid in " + FIRST_ID + "-" + LAST_ID,
            "give that user another uid")
        : Finding.ok("ids", "uids " + FIRST_ID + "-" + LAST_ID + " are free");
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text.trim());
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private static String oneLine(Host.Run run) {
    String text = run.output().strip().replace('\n', ' ');
    return text.isEmpty() ? "status " + run.status() : text;
  }
}
