// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Checks the security modules and sysctls that can deny a node features of the kernel. A guard is a
 * finding only if a feature is missing that it may have denied, because a node is root and most
 * guards stop only other users. Yama is not checked, because no part of a node traces another
 * process.
 */
final class GuardChecks {
  private static final String APPARMOR = "/proc/self/attr/apparmor/current";
  private static final String CURRENT = "/proc/self/attr/current";
  private static final String SELINUX = "/sys/fs/selinux/enforce";
  private static final String LOCKDOWN = "/sys/kernel/security/lockdown";

  /** The name of the call bpf(2) among the missing layers. */
  static final String BPF = "bpf";

  private static final String USER = "user";

  private final HostFacts host;

  GuardChecks(HostFacts host) {
    this.host = host;
  }

  /**
   * Examines the guards that may have denied the missing features.
   *
   * @param missing layers that this machine could not give, and {@link #BPF}
   */
  List<Finding> examine(Set<String> missing) {
    List<Finding> findings = new ArrayList<>();
    if (missing.isEmpty()) {
      return findings;
    }
    String what = String.join(", ", missing);
    profile().ifPresent(name -> findings.add(apparmor(name, what)));
    if (value(SELINUX).equals("1")) {
      findings.add(selinux(what));
    }
    if (missing.contains(USER)) {
      namespaces().ifPresent(findings::add);
    }
    if (missing.contains(BPF)) {
      lockdown().ifPresent(findings::add);
    }
    return findings;
  }

  private String value(String path) {
    return host.read(path).orElse("").replace("\0", "").trim();
  }

  /** Returns the AppArmor profile that confines this process; empty if none does. */
  private Optional<String> profile() {
    String current = value(APPARMOR);
    if (current.isEmpty() && value(SELINUX).isEmpty()) {
      current = value(CURRENT);
    }
    return current.endsWith("(enforce)") ? Optional.of(current) : Optional.empty();
  }

  private static Finding apparmor(String profile, String what) {
    return Finding.warn(
        "apparmor",
        "the profile " + profile + " confines this process, and may deny " + what,
        "run the node unconfined, or allow in that profile what the journal says was DENIED");
  }

  private Finding selinux(String what) {
    return Finding.warn(
        "selinux",
        "SELinux enforces (" + value(CURRENT) + "), and may deny " + what,
        "see what it denied: ausearch -m avc -ts recent; allow that, or run the node unconfined");
  }

  /**
   * Finds the first sysctl that denies user namespaces to everybody, or to everybody but root of
   * the machine.
   */
  private Optional<Finding> namespaces() {
    if (value("/proc/sys/user/max_user_namespaces").equals("0")) {
      return Optional.of(
          sysctl("user.max_user_namespaces = 0", "sysctl -w user.max_user_namespaces=65536"));
    }
    if (value("/proc/sys/kernel/unprivileged_userns_clone").equals("0")) {
      return Optional.of(
          sysctl(
              "kernel.unprivileged_userns_clone = 0 leaves them to root of the machine",
              "run the node as that root, or: sysctl -w kernel.unprivileged_userns_clone=1"));
    }
    if (value("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").equals("1")) {
      return Optional.of(
          sysctl(
              "kernel.apparmor_restrict_unprivileged_userns = 1 leaves them to root of the machine",
              "run the node as that root, or: sysctl -w"
                  + " kernel.apparmor_restrict_unprivileged_userns=0"));
    }
    return Optional.empty();
  }

  private static Finding sysctl(String what, String remedy) {
    return Finding.warn("user-namespaces", what, remedy);
  }

  /**
   * Reports lockdown, but only its two upper levels. The kernel marks the present level: "none
   * [integrity] confidentiality".
   */
  private Optional<Finding> lockdown() {
    String level = value(LOCKDOWN).replaceAll(".*\\[(.*)\\].*", "$1");
    return level.isEmpty() || level.equals("none")
        ? Optional.empty()
        : Optional.of(
            Finding.warn(
                "lockdown",
                "the kernel is locked down (" + level + "), and may deny bpf",
                "boot without lockdown=, or live without the fast path"));
  }
}
