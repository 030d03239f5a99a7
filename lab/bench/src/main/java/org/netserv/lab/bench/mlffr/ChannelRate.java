// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.io.IOException;
import java.util.List;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.CpuTime;

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
  private static final int COST_MILLIS = 1000;
  private static final int COSTS = 3;
  private static final double NANOS = 1000;

  /**
   * The findings about one server.
   *
   * @param lossFree packets a second
   * @param process processor time of a packet at the rate that was asked, of the server's process,
   *     in microseconds: the middle of three trials; NaN if all of them lost packets
   * @param whole the same with the thread that receives, in which the kernel relays
   */
  public record Found(double lossFree, double process, double whole) {}

  /**
   * Searches.
   *
   * @param port of the server and of all clients
   * @param process that relays; 0 = the kernel does
   * @param compiles true if it is a virtual machine, which gets time to compile first
   * @param rate packets a second at which the processor time is measured, in short bursts
   */
  public Found search(int port, long process, boolean compiles, int rate) throws IOException {
    List<Object> arguments = List.of(BYTES, port, 1, client, server, channel, peerPort);
    try (Prober prober = Prober.start(testbed, WIRE, arguments)) {
      prober.reader(reader(process, compiles));
      Figures alone = new Figures();
      Figures whole = new Figures();
      for (int i = 0; i < COSTS; i++) {
        double before = process == 0 ? 0 : CpuTime.micros(process);
        Trial trial = prober.scattered(rate, COST_MILLIS);
        double used = process == 0 ? 0 : CpuTime.micros(process) - before;
        if (trial.lossFree()) {
          alone.add(used / trial.good());
          whole.add(trial.processorEach() / NANOS);
        }
      }
      double lossFree = new Search(prober, TRIAL_MILLIS, Search.STEP).run(FROM);
      boolean lost = alone.count() == 0;
      return new Found(
          lossFree, lost ? Double.NaN : alone.median(), lost ? Double.NaN : whole.median());
    }
  }

  private static Reader reader(long process, boolean compiles) {
    List<Reader.Worker> threads =
        process == 0 ? List.of() : List.of(new Reader.Worker(process, "-"));
    return new Reader(threads, 0, Reader.By.KERNEL, null, compiles);
  }
}
