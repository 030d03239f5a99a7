// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.io.IOException;
import java.util.List;
import org.netserv.lab.testbed.Testbed;

/**
 * Searches for the highest rate of ChannelData that a TURN server on one processor relays to a peer
 * with at most one packet of a thousand lost. The sender and the receiver are those of {@code bench
 * mlffr}, so a client's processor is no limit.
 *
 * @param testbed with the hosts {@code user}, {@code node} and {@code peer}
 * @param client IPv4 address of the first of {@link #CLIENTS} clients, which have bound {@code
 *     channel} to the peer. The others have the addresses that follow
 * @param server its address
 * @param peerPort UDP port of the peer
 */
public record ChannelRate(
    Testbed testbed, String client, String server, int channel, int peerPort) {
  /** Number of the clients. */
  public static final int CLIENTS = 64;

  private static final Prober.Wire WIRE =
      new Prober.Wire("user", "eth0", "node", "lan", "peer", "eth0");

  private static final int BYTES = 206; // 160 of data
  private static final int FROM = 20_000;
  private static final int TRIAL_MILLIS = 250;

  /**
   * Searches.
   *
   * @param port of the server and of all clients
   * @param process that relays; 0 = the kernel does
   * @return packets a second
   */
  public double lossFree(int port, long process) throws IOException {
    List<Object> arguments = List.of(BYTES, port, 1, client, server, channel, peerPort);
    try (Prober prober = Prober.start(testbed, WIRE, arguments)) {
      if (process != 0) {
        prober.reader(
            new Reader(List.of(new Reader.Worker(process, "-")), 0, Reader.By.KERNEL, null, false));
      }
      return new Search(prober, TRIAL_MILLIS, Search.STEP).run(FROM);
    }
  }
}
