// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.netserv.serval.ServiceId;
import org.netserv.serval.flow.Flow;

/**
 * Connects by name, one flow after the other: {@code ServalClient ADDRESS ROUTER ROUTER-PORT
 * SERVICE-ID FLOWS PATIENCE-MILLIS FIRST}. Prints the flows that are connected, those whose answer
 * came from the instance itself, those of the instance at the address FIRST, and the addresses in
 * the list of the last answer.
 */
public final class ServalClient {
  private ServalClient() {}

  public static void main(String[] args) throws IOException {
    ServalHost host =
        new ServalHost(
            new InetSocketAddress(args[0], 0),
            new InetSocketAddress(args[1], Integer.parseInt(args[2])));
    ServiceId id = ServiceId.parse(args[3]);
    int flows = Integer.parseInt(args[4]);
    int connected = 0;
    int direct = 0;
    int first = 0;
    int hops = 0;
    for (int i = 0; i < flows; i++) {
      Flow flow = host.connect(id);
      if (!isAnswered(host, flow, Integer.parseInt(args[5]))) {
        continue;
      }
      connected++;
      direct += flow.peer().equals(host.sender()) ? 1 : 0;
      first += ServalHost.text(flow.peer()).startsWith(args[6] + ":") ? 1 : 0;
      hops = host.hops().size();
    }
    System.out.println(
        "connected=" + connected + " direct=" + direct + " first=" + first + " hops=" + hops);
  }

  /** Waits for the answer to a SYN, which is sent again until it comes. */
  private static boolean isAnswered(ServalHost host, Flow flow, int patience) throws IOException {
    long end = ServalHost.millis() + patience;
    while (ServalHost.millis() < end) {
      if (host.take(50) != null && flow.takesData()) {
        return true;
      }
      host.due();
    }
    return false;
  }
}
