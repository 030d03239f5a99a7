// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.traffic;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.traffic.InviteLoad.Caller;
import org.netserv.lab.testbed.traffic.InviteLoad.Calls;
import org.netserv.lab.testbed.traffic.InviteLoad.Row;

/**
 * A flood of INVITEs from both networks of users of the testbed overload, and honest calls beside
 * it from other addresses of the same networks. Both begin at the same time.
 */
public final class InviteFlood {
  private static final List<String> NODES = List.of("users-a", "users-b");
  private static final List<String> NETWORKS = List.of("198.51.100.", "203.0.113.");
  private static final int FLOOD = 10;
  private static final int HONEST = 11;
  private static final int EDGE = 1;
  private static final double ENOUGH = 0.9;

  private final InviteLoad[] floods = new InviteLoad[2];
  private final InviteLoad[] honest = new InviteLoad[2];
  private final int seconds;

  /**
   * Rates and time.
   *
   * @param server address that the calls go to; null = each network's own edge
   * @param tcp whether they go by streams
   * @param perSecond INVITEs of the flood, of each network
   * @param honest calls per second beside it, of each network
   * @param seconds that it lasts
   */
  public record Plan(String server, boolean tcp, int perSecond, int honest, int seconds) {}

  private InviteFlood(int seconds) {
    this.seconds = seconds;
  }

  /**
   * Starts the loads.
   *
   * @param name new, for their files
   */
  public static InviteFlood start(Testbed testbed, String name, Plan plan) throws IOException {
    InviteFlood flood = new InviteFlood(plan.seconds());
    for (int i = 0; i < NODES.size(); i++) {
      String to = plan.server() == null ? NETWORKS.get(i) + EDGE : plan.server();
      flood.floods[i] = load(testbed, name + "-" + i, i, FLOOD, plan, to, plan.perSecond());
      if (plan.honest() > 0) {
        flood.honest[i] = load(testbed, name + "-honest-" + i, i, HONEST, plan, to, plan.honest());
      }
    }
    return flood;
  }

  private static InviteLoad load(
      Testbed testbed, String name, int network, int host, Plan plan, String to, int rate)
      throws IOException {
    return InviteLoad.start(
        testbed,
        name,
        new Caller(NODES.get(network), NETWORKS.get(network) + host),
        new Calls(to, plan.tcp(), rate, plan.seconds(), 0));
  }

  /** Ends the loads, with the calls that wait. */
  public void stop() {
    Stream.of(floods, honest).flatMap(Arrays::stream).forEach(InviteFlood::stop);
  }

  private static void stop(InviteLoad load) {
    if (load != null) {
      load.stop();
    }
  }

  /** Waits for the end, and returns the counters of the flood between two seconds. */
  public Row between(int from, int to) throws IOException {
    return of(0, from, to).plus(of(1, from, to));
  }

  /** Returns the counters of one network's flood between two seconds. */
  public Row of(int network, int from, int to) throws IOException {
    return InviteLoad.between(floods[network].rows(), from, to);
  }

  /** Returns the counters of the honest calls between two seconds. */
  public Row honest(int from, int to) throws IOException {
    return InviteLoad.between(honest[0].rows(), from, to)
        .plus(InviteLoad.between(honest[1].rows(), from, to));
  }

  /** Returns the flood's counters at the end, as if they were those of the time of sending. */
  public Row whole() throws IOException {
    return end(floods[0]).plus(end(floods[1])).at(seconds);
  }

  /** Returns the honest calls' counters at the end. */
  public Row wholeHonest() throws IOException {
    return end(honest[0]).plus(end(honest[1])).at(seconds);
  }

  private static Row end(InviteLoad load) throws IOException {
    List<Row> rows = load.rows();
    return rows.get(rows.size() - 1).ended();
  }

  /**
   * Returns the first second from which on as many calls are done as later, to a tenth, and the
   * flood's whole time if there is none.
   */
  public int settled() throws IOException {
    for (int second = 0; second < seconds - 2; second++) {
      Row now = between(second, second + 1);
      Row later = between(second + 1, seconds - 1);
      if (now.answered() >= ENOUGH * later.perSecond(later.answered()) && now.lost() == 0) {
        return second;
      }
    }
    return seconds;
  }

  /** Returns the share by which one network gets more than the other, of what both get. */
  public double unfairness(int from, int to) throws IOException {
    long a = of(0, from, to).answered();
    long b = of(1, from, to).answered();
    return 2 * Math.abs(a - b) / (double) Math.max(1, a + b);
  }

  /** Returns the delays of 503s from a second on, in milliseconds, sorted. */
  public double[] rejectionDelays(int after) throws IOException {
    return DoubleStream.concat(
            Arrays.stream(floods[0].rejectionDelays(after)),
            Arrays.stream(floods[1].rejectionDelays(after)))
        .sorted()
        .toArray();
  }

  /** Returns a percentile of sorted numbers, 0 if there are none. */
  public static double percentile(double[] sorted, int percent) {
    return sorted.length == 0
        ? 0
        : sorted[Math.min(sorted.length - 1, (int) ((long) sorted.length * percent / 100))];
  }
}
