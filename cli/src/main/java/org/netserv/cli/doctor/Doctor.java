// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.doctor;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.netserv.policy.IsolationPolicy;

/**
 * Checks whether this machine can be a node, with one finding and its remedy for each fact. Nothing
 * on the machine is changed. Rules are tried only in a network namespace that ends with the try.
 */
public final class Doctor {
  private static final long MEMORY_NEEDED_MIB = 512;
  private static final int FIRST_ID = 690_000;
  private static final int LAST_ID = 704_095;
  private static final int FIRST_SPARE = 770_000;
  private static final int LAST_SPARE = 770_255;
  private static final String IDS =
      FIRST_ID + "-" + LAST_ID + " and " + FIRST_SPARE + "-" + LAST_SPARE;

  private final HostFacts host;
  private final String probe;
  private final LayerChecks layers;
  private final ProgramChecks programs;
  private final GuardChecks guards;
  private final List<Function<Map<String, String>, Finding>> checks = new ArrayList<>();

  /**
   * @param host the machine
   * @param probe path of the program {@code bin/probe}
   * @param isolation the rules of node.yaml about layers
   * @param etc the node's {@code etc/netserv}
   */
  public Doctor(HostFacts host, String probe, IsolationPolicy isolation, Path etc) {
    this.host = host;
    this.probe = probe;
    this.layers = new LayerChecks(host, isolation);
    this.programs = new ProgramChecks(host, etc);
    this.guards = new GuardChecks(host);
    checks.add(features -> root());
    checks.add(features -> KernelCheck.examine(host));
    checks.add(features -> java());
    checks.add(features -> memory());
    checks.add(features -> yes(features, "netlink-netfilter", "netfilter over netlink"));
    checks.add(this::queues);
    checks.add(this::conntrackTarget);
    checks.add(features -> legacyTables());
    checks.add(features -> foreignChains());
    checks.add(features -> yes(features, "sealed-memfd", "sealed shared memory"));
    checks.add(
        features ->
            forwarding("ip_forward", "/proc/sys/net/ipv4/ip_forward", "net.ipv4.ip_forward"));
    checks.add(this::ipv6);
    checks.add(Doctor::bpf);
    checks.add(features -> reversePathFilter());
    checks.add(features -> ids());
    StorageCheck storage = new StorageCheck(host, etc.resolve("../..").normalize());
    checks.add(features -> storage.examine());
  }

  /** Returns all findings, in a fixed order. */
  public List<Finding> examine() {
    Map<String, String> features = features();
    List<Finding> findings = new ArrayList<>();
    checks.forEach(check -> findings.add(check.apply(features)));
    findings.addAll(programs.examine());
    findings.addAll(layers.examine(features));
    findings.addAll(guards.examine(denied(features)));
    return findings;
  }

  /**
   * Returns the layers that the machine cannot give, and the call bpf(2) if the kernel denies it.
   */
  private Set<String> denied(Map<String, String> features) {
    Set<String> denied = new LinkedHashSet<>(layers.lacks(features).keySet());
    if (!features.getOrDefault(GuardChecks.BPF, "yes").equals("yes")) {
      denied.add(GuardChecks.BPF);
    }
    return denied;
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

  /** Fails if the kernel lacks a feature that every node needs. */
  private static Finding yes(Map<String, String> features, String key, String what) {
    String value = features.getOrDefault(key, "no:not probed");
    return value.equals("yes")
        ? Finding.ok(key, what)
        : Finding.fail(key, what + ": " + value, "needs a kernel that has it, and root");
  }

  /** Tries the same rules that a node writes, in a network namespace that ends with the try. */
  private Finding queues(Map<String, String> features) {
    if (cannotTry(features)) {
      return notTried("nfqueue");
    }
    HostFacts.Run run =
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
            "nfqueue", run.line(), "needs iptables (nf_tables) and a kernel with NFQUEUE");
  }

  /**
   * Returns true without network namespaces, because a rule is tried only where it disturbs nobody.
   */
  private static boolean cannotTry(Map<String, String> features) {
    return features.getOrDefault("layer-net", "").startsWith("no");
  }

  private static Finding notTried(String check) {
    return Finding.warn(
        check, "not tried: no network namespace", "use a kernel that has them, and root");
  }

  private Finding conntrackTarget(Map<String, String> features) {
    if (cannotTry(features)) {
      return notTried("notrack");
    }
    HostFacts.Run run =
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
        : Finding.fail("notrack", run.line(), "needs a kernel with the CT target");
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

  /**
   * Finds the operator's chains that drop turned packets. A packet must pass every base chain, so
   * that our own accept does not help against a drop.
   */
  private Finding foreignChains() {
    HostFacts.Run run = host.run("nft", "-j", "list", "ruleset");
    List<String> droppers;
    try {
      droppers =
          run.status() == 0
              ? new Ruleset(new ObjectMapper().readTree(run.output())).droppers()
              : null;
    } catch (IOException e) {
      droppers = null;
    }
    if (droppers == null) {
      return Finding.warn(
          "nft-chains",
          "rules cannot be read: status " + run.status(),
          "install nftables, and be root: nft -j list ruleset");
    }
    return droppers.isEmpty()
        ? Finding.ok("nft-chains", "no chain of yours drops all turned packets")
        : Finding.warn(
            "nft-chains",
            "chains that drop turned packets and containers': " + String.join(", ", droppers),
            "insert into each: meta mark & 0x00400000 != 0 accept, iifname \"nsv*\" accept, oifname"
                + " \"nsv*\" accept; see \"Beside nftables\" in the operator guide");
  }

  /** Checks IPv6 forwarding. A node without IPv6 serves IPv4 alone. */
  private Finding ipv6(Map<String, String> features) {
    String sysctl = "net.ipv6.conf.all.forwarding";
    String value = features.getOrDefault("ipv6", "yes");
    return value.equals("yes")
        ? forwarding("ipv6-forward", "/proc/sys/net/ipv6/conf/all/forwarding", sysctl)
        : Finding.warn(
            "ipv6-forward",
            "IPv6: " + value + ": the node works for IPv4 alone",
            "boot without ipv6.disable=1, if IPv6 is wanted");
  }

  /**
   * Checks bpf(2). Without programs in the kernel every packet goes the long way through its
   * modules.
   */
  private static Finding bpf(Map<String, String> features) {
    String value = features.getOrDefault(GuardChecks.BPF, "no:not probed");
    return value.equals("yes")
        ? Finding.ok(GuardChecks.BPF, "the kernel takes programs")
        : Finding.warn(
            GuardChecks.BPF,
            "bpf: " + value + ": no fast path, and jobs are held to their addresses by themselves",
            "use a kernel with CONFIG_BPF_SYSCALL, and root");
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
   * Finds interfaces where the kernel drops every packet that a module turns around. The larger of
   * {@code all} and the interface's own value counts, and 1 is the strict check that drops them.
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
            .anyMatch(Doctor::isOurs);
    return clash
        ? Finding.fail(
            "ids", "a user of this machine has a uid in " + IDS, "give that user another uid")
        : Finding.ok("ids", "uids " + IDS + " are free");
  }

  private static boolean isOurs(int uid) {
    return (uid >= FIRST_ID && uid <= LAST_ID) || (uid >= FIRST_SPARE && uid <= LAST_SPARE);
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text.trim());
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
