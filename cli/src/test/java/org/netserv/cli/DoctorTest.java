// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.netserv.cli.doctor.Doctor;
import org.netserv.cli.doctor.Finding;
import org.netserv.cli.doctor.Finding.Level;
import org.netserv.cli.doctor.Host;

class DoctorTest {
  private static final String GOOD_PROBE =
      """
      landlock-abi=7
      netlink-netfilter=yes
      namespaces=yes
      user-namespace=yes
      sealed-memfd=yes
      seccomp=yes
      no-new-privs=yes
      """;

  /** A machine on which everything is as it should be; each test breaks one thing. */
  private static final class FakeHost implements Host {
    final Map<String, String> files = new HashMap<>();
    final Map<String, List<String>> directories = new HashMap<>();
    String probe = GOOD_PROBE;
    String brokenCommand = "none";

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
      return new Run(0, line.equals("probe") ? probe : line.equals("id -u") ? "0\n" : "");
    }

    Finding finding(String check) {
      return new Doctor(this, "probe")
          .examine().stream().filter(f -> f.check().equals(check)).findFirst().orElseThrow();
    }
  }

  private final FakeHost host = new FakeHost();

  @Test
  void aGoodHostHasNothingToSay() {
    List<Finding> findings = new Doctor(host, "probe").examine();
    assertTrue(findings.size() >= 15);
    assertEquals(List.of(), findings.stream().filter(f -> f.level() != Level.OK).toList());
  }

  @Test
  void everyFindingThatIsNotOkHasARemedy() {
    host.files.clear();
    host.directories.clear();
    host.probe = "";
    host.brokenCommand = "unshare";
    List<Finding> findings = new Doctor(host, "probe").examine();
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

  @Test
  void withoutQueuesThereIsNoNode() {
    host.brokenCommand = "NFQUEUE";
    Finding finding = host.finding("nfqueue");
    assertEquals(Level.FAIL, finding.level());
    assertTrue(finding.text().contains("No chain"), finding.text());
  }

  @Test
  void oldLandlockIsALayerLess() {
    host.probe = GOOD_PROBE.replace("landlock-abi=7", "landlock-abi=3");
    Finding finding = host.finding("landlock");
    assertEquals(Level.WARN, finding.level());
    assertTrue(finding.text().contains("ABI 3"), finding.text());
  }

  @Test
  void missingNamespaceSupportFails() {
    host.probe = GOOD_PROBE.replace("namespaces=yes", "namespaces=no:Operation not permitted");
    assertEquals(Level.FAIL, host.finding("namespaces").level());
  }

  @Test
  void cgroupV1IsGoodEnoughAndAMissingControllerIsNamed() {
    host.files.remove("/sys/fs/cgroup/cgroup.controllers");
    host.directories.put("/sys/fs/cgroup", List.of("cpu", "memory", "pids"));
    assertEquals(Level.OK, host.finding("cgroups").level());
    host.directories.put("/sys/fs/cgroup", List.of("cpu", "memory"));
    assertTrue(host.finding("cgroups").text().contains("pids"));
  }

  @Test
  void aTakenUidIsRefused() {
    host.files.put("/etc/passwd", "x:x:700005:1::/:/bin/sh");
    assertEquals(Level.FAIL, host.finding("ids").level());
  }

  @Test
  void garbageFromTheKernelIsNoCrash() {
    host.files.put("/proc/sys/net/ipv4/conf/eth0/rp_filter", "what?");
    host.files.put("/proc/meminfo", "MemAvailable: kB");
    host.probe = "=\n===\nlandlock-abi=many\n";
    assertTrue(new Doctor(host, "probe").examine().size() >= 15);
  }
}
