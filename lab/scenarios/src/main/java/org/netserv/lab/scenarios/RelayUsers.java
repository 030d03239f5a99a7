// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.netserv.lab.testbed.Testbed;

/** Addresses of the user's host, of which each client gets another one. */
final class RelayUsers {
  private static final String PREFIX = "198.18.0.0/16";
  private static final String PREFIX_6 = "2001:db8:18::/64";
  private static final int BYTE = 0xff;
  private static final int MOST = 0xffff;

  private final Testbed testbed;
  private final AtomicInteger given = new AtomicInteger();
  private boolean there;

  RelayUsers(Testbed testbed) {
    this.testbed = testbed;
  }

  /** Returns an address that no client had, until 65,535 are given. */
  String next(boolean six) throws IOException {
    take();
    int number = 1 + given.getAndIncrement() % MOST;
    return six
        ? "2001:db8:18::%x".formatted(number)
        : "198.18.%d.%d".formatted(number >> Byte.SIZE, number & BYTE);
  }

  /** Makes all addresses of the prefixes the user's own. */
  private synchronized void take() throws IOException {
    if (!there) {
      testbed.run("user", "ip", "route", "add", "local", PREFIX, "dev", "lo");
      testbed.run("user", "ip", "-6", "route", "add", "local", PREFIX_6, "dev", "lo");
      there = true;
    }
  }
}
