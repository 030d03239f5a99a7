// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.doctor;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks the release of the kernel against the oldest that a node runs on, and against the oldest
 * that takes all programs of the fast path. Other checks try features; this one tells why several
 * are missing at once.
 */
final class KernelCheck {
  private static final String CHECK = "kernel";
  private static final Pattern RELEASE = Pattern.compile("(\\d{1,3})\\.(\\d{1,3}).*");
  private static final int OLDEST = 5_015;
  private static final int WHOLE = 5_018;

  private KernelCheck() {}

  static Finding examine(HostFacts host) {
    String release = host.read("/proc/sys/kernel/osrelease").orElse("of an unknown release");
    Matcher parts = RELEASE.matcher(release);
    int number =
        parts.matches()
            ? Integer.parseInt(parts.group(1)) * 1000 + Integer.parseInt(parts.group(2))
            : WHOLE;
    if (number < OLDEST) {
      return Finding.fail(
          CHECK,
          "Linux "
              + release
              + " is older than 5.15: it has no Landlock, cannot make the file system of a"
              + " container, and refuses most programs of the fast path",
          "use Linux 5.15 or newer: Debian 12, Ubuntu 22.04, or a newer kernel on this system");
    }
    return number < WHOLE
        ? Finding.warn(
            CHECK,
            "Linux "
                + release
                + ": modules relay media and route Serval by themselves, and packets come by the"
                + " queues where plane: afxdp is set",
            "use Linux 5.18 or newer if the kernel is to do that; nothing else needs it")
        : Finding.ok(CHECK, "Linux " + release);
  }
}
