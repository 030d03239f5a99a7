// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import org.netserv.cli.doctor.Host;
import org.netserv.policy.IsolationPolicy;

class DoctorTest {
  private static final String PROGRAMS = "/etc/netserv/programs.d";

  private static final String GOOD_PROBE =
      """
      landlock-abi=7
      netlink-netfilter=yes
      sealed-memfd=yes
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
      layer-seccomp=yes
      """;

  /** A machine on which everything is as it should be; each test breaks one thing. */
  private static final class FakeHost implements Host {
    final Map<String, String> files = new HashMap<>();
    final Map<String, List<String>> directories = new HashMap<>();
    final Map<String, String> modes = new HashMap<>(); // what stat says
    String probe = GOOD_PROBE;
    String brokenCommand = "none";
    IsolationPolicy isolation = IsolationPolicy.NONE;

    FakeHost() {
      files.put("/proc/meminfo", "MemTotal: 2000000 kB\nMemAvailable:    1500000 kB");
      files.put("/sys/fs/cgroup/cgroup.controllers", "cpu memory pids");
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
      if (command[0].equals("stat")) {
        return new Run(0, modes.getOrDefault(command[command.length - 1], ""));
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

  static List<String> layers() {
    return IsolationPolicy.LAYERS.stream().filter(layer -> !layer.equals("java")).toList();
  }

  /** The machine lacks one layer. */
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
    host.isolation = new IsolationPolicy(Set.of(), Set.of(layer));
    Finding finding = host.finding("layer-" + layer);
    assertEquals(Level.WARN, finding.level());
    assertTrue(finding.text().contains("accepts it as missing"), finding.text());
  }

  @ParameterizedTest
  @MethodSource("layers")
  void aLayerThatIsSwitchedOffIsMissing(String layer) {
    host.isolation = new IsolationPolicy(Set.of(layer), Set.of());
    Finding finding = host.finding("layer-" + layer);
    assertEquals(Level.WARN, finding.level());
    assertTrue(finding.text().startsWith("switched off; only"), finding.text());
    assertTrue(finding.remedy().contains("isolation: without"), finding.remedy());
  }

  @Test
  void allOfThemCanBeSwitchedOffAtOnce() {
    host.isolation = new IsolationPolicy(Set.of("all"), Set.of());
    assertEquals(16, host.examine().stream().filter(f -> f.level() == Level.WARN).count());
  }

  @Test
  void aProbeThatDoesNotSayIsNoYes() {
    host.probe = GOOD_PROBE.replace("layer-seccomp=yes\n", "");
    assertTrue(host.finding("layer-seccomp").text().contains("not probed"));
  }

  @Test
  void oldLandlockIsNamedWithItsAbi() {
    host.probe = GOOD_PROBE.replace("landlock-abi=7", "landlock-abi=3");
    lacks("landlock");
    Finding finding = host.finding("layer-landlock");
    assertTrue(finding.text().contains("ABI 3"), finding.text());
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
    host.isolation = new IsolationPolicy(Set.of("net"), Set.of());
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
