// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.cli.doctor.Doctor;
import org.netserv.cli.doctor.Finding;
import org.netserv.cli.doctor.Finding.Level;
import org.netserv.cli.doctor.HostFacts;
import org.netserv.cli.doctor.LoadCheck;
import org.netserv.cli.doctor.LoopCheck;
import org.netserv.frames.Json;
import org.netserv.policy.IsolationPolicy;
import org.netserv.policy.LayerCovers;

class DoctorTest {
  @Test
  void aLoopThatWaitedIsAWarningWithItsWork() {
    ObjectNode loop = Json.object().put("turnsOver10ms", 0).put("slowestMicros", 1250);
    loop.put("slowestWork", "children");
    Finding good = LoopCheck.examine(loop);
    assertEquals(Level.OK, good.level());
    assertEquals("slowest turn 1.25 ms (children)", good.text());
    Finding slow = LoopCheck.examine(loop.put("turnsOver10ms", 3).put("slowestMicros", 120_000));
    assertEquals(Level.WARN, slow.level());
    assertEquals("3 turns over 10 ms, slowest turn 120.0 ms (children)", slow.text());
    assertFalse(slow.remedy().isEmpty());
    assertEquals(Level.WARN, LoopCheck.examine(Json.object()).level());
  }

  @Test
  void aStrainedResourceIsAWarningWithWhatItRefuses() {
    ObjectNode status = Json.object();
    ObjectNode heap = status.putObject("load").putArray("resources").addObject();
    heap.put("name", "heap-mib").put("used", 100).put("limit", 256).put("state", "normal");
    assertEquals(Level.OK, LoadCheck.examine(status).level());
    heap.put("used", 240).put("state", "saturated").putArray("refuses").add("stranger");
    Finding strained = LoadCheck.examine(status);
    assertEquals(Level.WARN, strained.level());
    assertEquals("heap-mib 240 of 256: saturated, refuses stranger", strained.text());
    status.putObject("load");
    status.putObject("signaling").put("load", "strained");
    assertEquals("signaling is strained", LoadCheck.examine(status).text());
  }

  private static final String PROGRAMS = "/etc/netserv/programs.d";

  private static final String GOOD_PROBE =
      """
      landlock-abi=7
      netlink-netfilter=yes
      sealed-memfd=yes
      bpf=yes
      ipv6=yes
      layer-cgroup=yes
      layer-user=yes
      layer-pid=yes
      layer-mount=yes
      layer-net=yes
      layer-ipc=yes
      layer-uts=yes
      layer-disk=yes
      layer-rlimits=yes
      layer-uid=yes
      layer-capabilities=yes
      layer-no-new-privs=yes
      layer-landlock=yes
      layer-landlock-net=yes
      layer-seccomp=yes
      """;

  /** A machine on which everything is as it should be; each test breaks one thing. */
  private static final class FakeHost implements HostFacts {
    final Map<String, String> files = new HashMap<>();
    final Map<String, List<String>> directories = new HashMap<>();
    final Map<String, String> modes = new HashMap<>(); // output of stat
    String probe = GOOD_PROBE;
    String ruleset = "{\"nftables\": []}";
    String brokenCommand = "none";
    long freeKib = 1 << 20;
    IsolationPolicy isolation = IsolationPolicy.NONE;

    FakeHost() {
      files.put("/proc/meminfo", "MemTotal: 2000000 kB\nMemAvailable:    1500000 kB");
      files.put("/sys/fs/cgroup/cgroup.controllers", "cpu memory pids");
      files.put("/proc/sys/kernel/osrelease", "6.1.0-30-amd64");
      files.put("/proc/sys/net/ipv4/ip_forward", "1");
      files.put("/proc/sys/net/ipv6/conf/all/forwarding", "1");
      files.put("/proc/sys/net/ipv4/conf/all/rp_filter", "0");
      files.put("/proc/sys/net/ipv4/conf/eth0/rp_filter", "2");
      files.put("/etc/passwd", "root:x:0:0::/root:/bin/sh");
      directories.put("/proc/sys/net/ipv4/conf/", List.of("all", "default", "eth0", "lo"));
    }

    @Override
    public Optional<String> read(String path) {
      return Optional.ofNullable(files.get(path));
    }

    @Override
    public List<String> list(String path) {
      return directories.getOrDefault(path, List.of());
    }

    @Override
    public Run run(String... command) {
      String line = String.join(" ", command);
      if (line.contains(brokenCommand)) {
        return new Run(3, "No chain/target/match by that name.");
      }
      if (command[0].equals("df")) {
        return new Run(
            0,
            "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/vda 9 9 "
                + freeKib
                + " 99% /");
      }
      if (command[0].equals("stat")) {
        return new Run(0, modes.getOrDefault(command[command.length - 1], ""));
      }
      if (line.equals("nft -j list ruleset")) {
        return new Run(0, ruleset);
      }
      return new Run(0, line.equals("probe") ? probe : line.equals("id -u") ? "0\n" : "");
    }

    List<Finding> examine() {
      return new Doctor(this, "probe", isolation, Path.of("/etc/netserv")).examine();
    }

    Finding finding(String check) {
      return examine().stream().filter(f -> f.check().equals(check)).findFirst().orElseThrow();
    }
  }

  private final FakeHost host = new FakeHost();

  @Test
  void aGoodHostHasNothingToSay() {
    List<Finding> findings = host.examine();
    assertTrue(findings.size() >= 15);
    assertEquals(List.of(), findings.stream().filter(f -> f.level() != Level.OK).toList());
  }

  @Test
  void everyFindingThatIsNotOkHasARemedy() {
    host.files.clear();
    host.directories.clear();
    host.probe = "";
    host.brokenCommand = "unshare";
    List<Finding> findings = host.examine();
    assertFalse(findings.stream().allMatch(f -> f.level() == Level.OK));
    findings.stream()
        .filter(f -> f.level() != Level.OK)
        .forEach(f -> assertFalse(f.remedy().isBlank(), f.check()));
  }

  @Test
  void aKernelThatIsTooOldIsRefusedWithTheOldestThatIsNot() {
    host.files.put("/proc/sys/kernel/osrelease", "5.10.0-32-amd64");
    Finding finding = host.finding("kernel");
    assertEquals(Level.FAIL, finding.level());
    assertTrue(finding.text().startsWith("Linux 5.10.0-32-amd64 is older than 5.15: "));
    assertTrue(finding.remedy().startsWith("use Linux 5.15 or newer"), finding.remedy());
  }

  @ParameterizedTest
  @ValueSource(strings = {"5.15.0-204-generic", "5.17.1"})
  void anOldKernelThatDoesLessIsSaid(String release) {
    host.files.put("/proc/sys/kernel/osrelease", release);
    Finding finding = host.finding("kernel");
    assertEquals(Level.WARN, finding.level());
    assertTrue(finding.text().startsWith("Linux " + release + ": "), finding.text());
  }

  @ParameterizedTest
  @ValueSource(strings = {"5.18.0", "6.8.0-151-generic", "10.2.0"})
  void aKernelThatTakesAllProgramsIsGood(String release) {
    host.files.put("/proc/sys/kernel/osrelease", release);
    assertEquals(Level.OK, host.finding("kernel").level());
    assertEquals("Linux " + release, host.finding("kernel").text());
  }

  @Test
  void aDiskThatIsAlmostFullIsSaid() {
    host.freeKib = 20_000;
    Finding finding = host.finding("disk-space");
    assertEquals(Level.WARN, finding.level());
    assertEquals("19 MiB free for /var/lib/netserv", finding.text());
  }

  private static String chain(String table, String name, String more) {
    return "{\"chain\": {\"family\": \"inet\", \"table\": \"%s\", \"name\": \"%s\"%s}}"
        .formatted(table, name, more);
  }

  private static String forward(String table, String policy) {
    return chain(table, "fw", ", \"hook\": \"forward\", \"policy\": \"" + policy + "\"");
  }

  private static String rule(String chain, String expressions) {
    return "{\"rule\": {\"family\": \"inet\", \"table\": \"mine\", \"chain\": \"%s\", \"expr\": [%s]}}"
        .formatted(chain, expressions);
  }

  private Finding chains(String... entries) {
    host.ruleset = "{\"nftables\": [" + String.join(", ", entries) + "]}";
    return host.finding("nft-chains");
  }

  private static final String SSH =
      "{\"match\": {\"left\": {\"meta\": {\"key\": \"iifname\"}}, \"right\": \"up0\"}}, {\"accept\": null}";
  private static final String MARKED =
      "{\"match\": {\"left\": {\"&\": [{\"meta\": {\"key\": \"mark\"}}, 4194304]}, \"right\": 4194304}},"
          + " {\"accept\": null}";

  @Test
  void aChainOfTheOperatorsThatDropsIsNamed() {
    Finding finding = chains(forward("mine", "drop"), rule("fw", SSH));
    assertEquals(Level.WARN, finding.level());
    assertTrue(finding.text().endsWith("inet mine fw"), finding.text());
    assertTrue(finding.remedy().contains("meta mark"), finding.remedy());
    assertEquals(Level.OK, chains(forward("mine", "drop"), rule("fw", MARKED)).level());
    assertEquals(Level.OK, chains(forward("mine", "accept"), rule("fw", SSH)).level());
    assertEquals(Level.OK, chains(forward("netserv", "drop")).level()); // our own table
  }

  @Test
  void aRejectAtTheEndOfAChainIsFoundBehindItsJump() {
    String sub = chain("mine", "sub", "");
    String jump = rule("fw", "{\"jump\": {\"target\": \"sub\"}}");
    String reject = rule("sub", "{\"counter\": {}}, {\"reject\": null}");
    assertEquals(Level.WARN, chains(forward("mine", "accept"), sub, jump, reject).level());
    assertEquals(
        Level.OK, chains(forward("mine", "accept"), sub, rule("fw", MARKED), jump, reject).level());
    String loop = rule("sub", "{\"jump\": {\"target\": \"sub\"}}");
    assertEquals(Level.OK, chains(forward("mine", "accept"), sub, jump, loop).level());
  }

  @Test
  void rulesThatCannotBeReadAreSaid() {
    host.brokenCommand = "nft -j";
    assertEquals(Level.WARN, host.finding("nft-chains").level());
    host.brokenCommand = "none";
    host.ruleset = "no JSON";
    assertEquals(Level.WARN, host.finding("nft-chains").level());
  }

  @Test
  void strictReversePathFilterIsSaidWithItsInterface() {
    host.files.put("/proc/sys/net/ipv4/conf/eth0/rp_filter", "1");
    Finding finding = host.finding("rp_filter");
    assertEquals(Level.WARN, finding.level());
    assertTrue(finding.text().contains("eth0"), finding.text());
  }

  @Test
  void looseEverywhereWinsOverStrictOnTheInterface() {
    host.files.put("/proc/sys/net/ipv4/conf/all/rp_filter", "2");
    host.files.put("/proc/sys/net/ipv4/conf/eth0/rp_filter", "1");
    assertEquals(Level.OK, host.finding("rp_filter").level());
  }

  /** A program of the operator's own. */
  private void program(String name, String mode) {
    host.directories.computeIfAbsent(PROGRAMS, path -> new ArrayList<>()).add(name);
    host.modes.putIfAbsent(PROGRAMS, "0 755 directory\n");
    host.modes.put(PROGRAMS + "/" + name, mode);
  }

  private List<String> programs(Level level) {
    return host.examine().stream()
        .filter(f -> f.check().equals("programs") && f.level() == level)
        .map(Finding::text)
        .toList();
  }

  @Test
  void programsOfTheOperatorsAreSaidByTheirSlots() {
    program("tc-7.bpf.o", "0 644 regular file\n");
    program("xdp-2.bpf.o", "0 600 regular file\n");
    assertEquals(List.of("of the operator's own: tc-7 xdp-2"), programs(Level.OK));
    assertEquals(List.of(), programs(Level.WARN));
  }

  @Test
  void aProgramThatWouldNotBeTakenIsSaidWithItsReason() {
    program("xdp-2.bpf.o", "0 644 regular file\n");
    program("xdp-8.bpf.o", "0 644 regular file\n");
    program("tc-2.bpf.o", "0 664 regular file\n");
    program("tc-3.bpf.o", "1000 644 regular file\n");
    program("tc-4.bpf.o", "0 777 symbolic link\n");
    program("tc-5.bpf.o", "0 602 regular file\n");
    assertEquals(List.of("of the operator's own: xdp-2"), programs(Level.OK));
    String others = " is not a file that root alone can write: it is not taken";
    assertEquals(
        List.of(
            "xdp-8.bpf.o is not named {xdp,tc}-{2..7}.bpf.o: it is not taken",
            "tc-2.bpf.o" + others,
            "tc-3.bpf.o" + others,
            "tc-4.bpf.o" + others,
            "tc-5.bpf.o" + others),
        programs(Level.WARN));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0 775 directory", "1000 755 directory", "0 777 symbolic link", ""})
  void aDirectoryOfOthersHoldsNoPrograms(String mode) {
    program("xdp-2.bpf.o", "0 644 regular file\n");
    host.modes.put(PROGRAMS, mode);
    assertEquals(List.of(), programs(Level.OK));
    assertEquals(1, programs(Level.WARN).size());
  }

  @Test
  void withoutQueuesThereIsNoNode() {
    host.brokenCommand = "NFQUEUE";
    Finding finding = host.finding("nfqueue");
    assertEquals(Level.FAIL, finding.level());
    assertTrue(finding.text().contains("No chain"), finding.text());
  }

  /** Returns the layers that a machine can lack and no other layer covers. */
  static List<String> layers() {
    return IsolationPolicy.LAYERS.stream()
        .filter(layer -> !layer.equals("java") && !LayerCovers.all().containsKey(layer))
        .toList();
  }

  /** Takes one layer away from the machine. */
  private void lacks(String layer) {
    if (layer.equals("rules")) {
      host.brokenCommand = "conntrack";
    }
    host.probe = host.probe.replace("layer-" + layer + "=yes", "layer-" + layer + "=no:not here");
  }

  @ParameterizedTest
  @MethodSource("layers")
  void aMissingLayerIsAFindingWithARemedy(String layer) {
    lacks(layer);
    List<Finding> bad =
        host.examine().stream()
            .filter(f -> f.check().startsWith("layer-") && f.level() != Level.OK)
            .toList();
    List<String> expected =
        layer.equals("net") ? List.of("layer-net", "layer-rules") : List.of("layer-" + layer);
    assertEquals(expected, bad.stream().map(Finding::check).toList());
    for (Finding finding : bad) {
      assertEquals(Level.WARN, finding.level(), "a node runs here, for its operator");
      assertTrue(finding.text().startsWith("missing: "), finding.text());
      assertTrue(finding.text().contains("only the operator's own"), finding.text());
      assertFalse(finding.remedy().isBlank());
    }
  }

  @ParameterizedTest
  @MethodSource("layers")
  void aMissingLayerThatIsAcceptedIsStillSaid(String layer) {
    lacks(layer);
    host.isolation = new IsolationPolicy(Set.of(), Set.of(layer), Set.of());
    Finding finding = host.finding("layer-" + layer);
    assertEquals(Level.WARN, finding.level());
    assertTrue(finding.text().contains("accepts it as missing"), finding.text());
  }

  @ParameterizedTest
  @MethodSource("layers")
  void aLayerThatIsSwitchedOffIsMissing(String layer) {
    host.isolation = new IsolationPolicy(Set.of(layer), Set.of(), Set.of());
    Finding finding = host.finding("layer-" + layer);
    assertEquals(Level.WARN, finding.level());
    assertTrue(finding.text().startsWith("switched off; only"), finding.text());
    assertTrue(finding.remedy().contains("isolation: without"), finding.remedy());
  }

  @Test
  void allOfThemCanBeSwitchedOffAtOnce() {
    host.isolation = new IsolationPolicy(Set.of("all"), Set.of(), Set.of());
    assertEquals(17, host.examine().stream().filter(f -> f.level() == Level.WARN).count());
  }

  @Test
  void aProbeThatDoesNotSayIsNoYes() {
    host.probe = GOOD_PROBE.replace("layer-seccomp=yes\n", "");
    assertTrue(host.finding("layer-seccomp").text().contains("not probed"));
  }

  @Test
  void portsThatLandlockDoesNotKnowAreCoveredByTheNetwork() {
    host.probe = GOOD_PROBE.replace("landlock-abi=7", "landlock-abi=2");
    lacks("landlock-net");
    Finding finding = host.finding("layer-landlock-net");
    assertEquals(Level.OK, finding.level());
    assertEquals("missing, covered by net, rules (not here (Landlock ABI 2))", finding.text());
    assertEquals(
        "there (ABI 2): truncate is left to mount and uid,"
            + " signals are left to pid and uid, abstract sockets to net",
        host.finding("layer-landlock").text());
  }

  @Test
  void theVersionOfCgroupsIsSaid() {
    host.probe = GOOD_PROBE + "cgroups=v2\n";
    assertEquals("there (v2)", host.finding("layer-cgroup").text());
  }

  @Test
  void aLayerIsNotCoveredByOneThatIsMissing() {
    lacks("landlock-net");
    lacks("rules");
    Finding finding = host.finding("layer-landlock-net");
    assertEquals(Level.WARN, finding.level());
    assertTrue(finding.text().contains("only the operator's own"), finding.text());
    assertTrue(finding.remedy().contains("6.7"), finding.remedy());
  }

  @Test
  void aCoveredLayerThatPolicyRequiresIsMissing() {
    lacks("landlock-net");
    host.isolation = new IsolationPolicy(Set.of(), Set.of(), Set.of("landlock-net"));
    Finding finding = host.finding("layer-landlock-net");
    assertEquals(Level.WARN, finding.level());
    assertTrue(finding.text().contains("node.yaml requires it; only the"), finding.text());
  }

  @Test
  void aLayerThatIsSwitchedOffIsCoveredAsWell() {
    host.isolation = new IsolationPolicy(Set.of("landlock-net"), Set.of(), Set.of());
    Finding finding = host.finding("layer-landlock-net");
    assertEquals(Level.OK, finding.level());
    assertEquals("missing, covered by net, rules (switched off)", finding.text());
  }

  private List<String> guards() {
    List<String> names = List.of("apparmor", "selinux", "user-namespaces", "lockdown");
    return host.examine().stream().map(Finding::check).filter(names::contains).toList();
  }

  /** A guard that denies a node nothing has no finding. */
  @Test
  void guardsOfTheKernelAreSaidWhereSomethingIsMissing() {
    host.files.put("/proc/self/attr/apparmor/current", "docker-default (enforce)");
    host.files.put("/sys/fs/selinux/enforce", "1");
    host.files.put("/proc/self/attr/current", "system_u:system_r:init_t:s0");
    host.files.put("/sys/kernel/security/lockdown", "none [integrity] confidentiality");
    host.files.put("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1");
    assertEquals(List.of(), guards());
    lacks("mount");
    assertEquals(List.of("apparmor", "selinux"), guards());
    assertTrue(host.finding("apparmor").text().contains("docker-default"));
    assertTrue(host.finding("selinux").text().contains("init_t:s0), and may deny mount"));
    host.probe = GOOD_PROBE;
    lacks("user");
    assertEquals(List.of("apparmor", "selinux", "user-namespaces"), guards());
    host.probe = GOOD_PROBE.replace("bpf=yes", "bpf=no:Operation not permitted");
    assertEquals(List.of("apparmor", "selinux", "lockdown"), guards());
    assertTrue(host.finding("lockdown").text().contains("(integrity)"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "user/max_user_namespaces=0",
        "kernel/unprivileged_userns_clone=0",
        "kernel/apparmor_restrict_unprivileged_userns=1"
      })
  void theSysctlThatForbidsUserNamespacesIsNamed(String setting) {
    lacks("user");
    assertEquals(List.of(), guards());
    String[] parts = setting.split("=", -1);
    host.files.put("/proc/sys/" + parts[0], parts[1]);
    Finding finding = host.finding("user-namespaces");
    String sysctl = parts[0].replace('/', '.');
    assertTrue(finding.text().startsWith(sysctl + " = " + parts[1]), finding.text());
    assertTrue(finding.remedy().contains("sysctl -w " + sysctl), finding.remedy());
  }

  @Test
  void aKernelWithoutProgramsHasNoFastPath() {
    host.probe = GOOD_PROBE.replace("bpf=yes", "bpf=no:Function not implemented");
    Finding finding = host.finding("bpf");
    assertEquals(Level.WARN, finding.level());
    assertTrue(finding.text().contains("not implemented: no fast path"), finding.text());
  }

  @Test
  void aKernelWithoutIpv6WorksForIpv4() {
    host.files.remove("/proc/sys/net/ipv6/conf/all/forwarding");
    host.probe = GOOD_PROBE.replace("ipv6=yes", "ipv6=no:not supported");
    Finding finding = host.finding("ipv6-forward");
    assertEquals(Level.WARN, finding.level());
    assertEquals("IPv6: no:not supported: the node works for IPv4 alone", finding.text());
    assertFalse(finding.remedy().contains("sysctl"), finding.remedy());
  }

  @Test
  void whatCannotBeTriedIsNoFailure() {
    lacks("net");
    for (String check : List.of("nfqueue", "notrack")) {
      assertEquals(Level.WARN, host.finding(check).level());
      assertTrue(host.finding(check).text().startsWith("not tried"));
    }
    assertEquals(Level.WARN, host.finding("layer-rules").level(), "it rests on that one");
    host.probe = GOOD_PROBE;
    host.isolation = new IsolationPolicy(Set.of("net"), Set.of(), Set.of());
    assertTrue(host.finding("layer-rules").text().startsWith("switched off"));
  }

  @Test
  void aTakenUidIsRefused() {
    host.files.put("/etc/passwd", "x:x:700005:1::/:/bin/sh");
    assertEquals(Level.FAIL, host.finding("ids").level());
    host.files.put("/etc/passwd", "x:x:770255:1::/:/bin/sh");
    assertEquals(Level.FAIL, host.finding("ids").level());
    host.files.put("/etc/passwd", "x:x:770256:1::/:/bin/sh");
    assertEquals(Level.OK, host.finding("ids").level());
  }

  @Test
  void garbageFromTheKernelIsNoCrash() {
    host.files.put("/proc/sys/net/ipv4/conf/eth0/rp_filter", "what?");
    host.files.put("/proc/meminfo", "MemAvailable: kB");
    host.probe = "=\n===\nlandlock-abi=many\n";
    assertTrue(host.examine().size() >= 15);
  }
}
