// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.host.HostVerdict;

/**
 * An instance of a Serval service: {@code ServalServer ADDRESS PORT ROUTER ROUTER-PORT SERVICE-ID}.
 * It registers each second, answers SYNs, and prints the way of each. It ends with its process.
 */
public final class ServalServer {
  private static final int REGISTER_MILLIS = 1000;
  private static final int LOOK_MILLIS = 100;

  private ServalServer() {}

  public static void main(String[] args) throws IOException {
    ServalHost host =
        new ServalHost(
            new InetSocketAddress(args[0], Integer.parseInt(args[1])),
            new InetSocketAddress(args[2], Integer.parseInt(args[3])));
    ServiceId id = ServiceId.parse(args[4]);
    host.serve(id);
    System.out.println("ready");
    long next = ServalHost.millis();
    while (true) {
      if (ServalHost.millis() >= next) {
        host.register(id);
        next += REGISTER_MILLIS;
      }
      if (host.take(LOOK_MILLIS) == HostVerdict.REQUEST) {
        List<String> way = new ArrayList<>();
        for (Endpoint hop : host.hops()) {
          way.add(ServalHost.text(hop));
        }
        System.out.println("request " + String.join(" ", way));
      }
      host.due();
    }
  }
}
