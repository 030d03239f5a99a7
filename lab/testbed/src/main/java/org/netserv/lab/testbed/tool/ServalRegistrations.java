// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Locale;
import org.netserv.serval.ServiceId;

/**
 * A host with many services: {@code ServalRegistrations ADDRESS PORT ROUTER ROUTER-PORT DIGITS
 * COUNT}. Each second it registers a twentieth of its services, so that each is registered again
 * after 20 s. A service's name is the digits, and then its number. The tool ends with its process.
 */
public final class ServalRegistrations {
  private static final int CYCLE_MILLIS = 20_000;

  /** Registrations that are sent at once. The router's socket has room for thousands. */
  private static final int BURST = 50;

  private ServalRegistrations() {}

  public static void main(String[] args) throws IOException {
    ServalHost host =
        new ServalHost(
            new InetSocketAddress(args[0], Integer.parseInt(args[1])),
            new InetSocketAddress(args[2], Integer.parseInt(args[3])));
    int count = Integer.parseInt(args[5]);
    System.out.println("ready");
    long begun = ServalHost.millis();
    for (long sent = 0; ; ) {
      long due = (ServalHost.millis() - begun) * count / CYCLE_MILLIS;
      for (int i = 0; i < BURST && sent < due; i++, sent++) {
        host.register(ServiceId.parse(args[4] + String.format(Locale.ROOT, "%06x", sent % count)));
      }
      pause(1);
    }
  }

  private static void pause(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
