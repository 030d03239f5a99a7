// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Stranger;
import org.netserv.lab.testbed.base.Wait;

/**
 * A stranger beside two ends of Serval and their routers, and the counters that tell what was
 * refused.
 */
record ServalAttack(
    Stage stage, ServalRouters routers, ServalEnds ends, Stranger stranger, ComparedRows rows) {
  /** The stranger's own address. */
  static final String STRANGER = "198.51.100.10";

  static final String SERVER = "192.0.2.10";
  static final String USER = "10.1.0.10";

  /** The UDP address of the server's sald, and that of the far router. */
  static final String AT_SERVER = SERVER + ":" + ServalEnds.PORT;

  static final String AT_ROUTER = ServalRouters.FAR_ROUTER + ":" + ServalEnds.PORT;

  private static final long PATIENCE_SECONDS = 10;
  private static final int STEP_MILLIS = 30;
  private static final int QUIET_MILLIS = 200;

  /** Packets that the socket of a victim holds while the victim has no processor. */
  static final int AT_ONCE = 200;

  /** A counter. */
  interface Counter {
    long read() throws IOException;
  }

  /** Returns a counter of the far router. */
  Counter router(String name) {
    return () -> routers.count(name);
  }

  /**
   * Returns a counter of a sald.
   *
   * @param group {@code packets}, {@code refusals} or {@code verdicts}
   */
  static Counter host(SalHost host, String group, String name) {
    return () -> host.view("status").path(group).path(name).asLong();
  }

  /** Waits until a counter is at least this, and returns it in any case. */
  static long await(Counter counter, long least) throws IOException {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    long seen = counter.read();
    while (seen < least && System.nanoTime() < until) {
      Wait.pause(STEP_MILLIS);
      seen = counter.read();
    }
    return seen;
  }

  /** Sends something that is to be counted. */
  interface Act {
    void run() throws IOException;
  }

  /** Adds a row of the difference that an act makes to a counter. */
  void counted(String what, Counter counter, long expected, Act act) throws IOException {
    long before = counter.read();
    act.run();
    rows.row(what, expected, await(counter, before + expected) - before);
  }

  /**
   * Sends packets from an address of the stranger, and adds a row for each counter that has to go
   * up. It counts exactly, so honest packets must raise none of these counters.
   */
  void refused(String what, Attacked victim, CountedPackets packets, String from)
      throws IOException {
    refused(what, victim, packets, from, victim.at());
  }

  /**
   * The same by way of another router.
   *
   * @param to ADDRESS:PORT of that one
   */
  void refused(String what, Attacked victim, CountedPackets packets, String from, String to)
      throws IOException {
    Map<String, Long> before = victim.counters();
    Map<String, Long> expected = packets.expected();
    int count = packets.packets().size();
    for (int sent = 0; sent < count; sent += AT_ONCE) {
      int next = Math.min(count, sent + AT_ONCE);
      stranger.send(from, to, packets.packets().subList(sent, next));
      long least = packets.raised(next);
      if (await(() -> raised(victim, before, expected), least) < least) {
        break; // the rows show what is missing
      }
    }
    await(() -> missing(victim, before, expected) == 0 ? 1 : 0, 1);
    Map<String, Long> after = victim.counters();
    for (Map.Entry<String, Long> each : expected.entrySet()) {
      String row = victim.name() + ", " + what + ": " + each.getKey();
      rows.row(row, each.getValue(), difference(after, before, each.getKey()));
    }
  }

  /** Adds the row that nothing has come to an address of the stranger. */
  void silent(String what, String at) throws IOException {
    rows.row(what, 0, stranger.take(at, Integer.MAX_VALUE, QUIET_MILLIS).size());
  }

  private static long raised(Attacked victim, Map<String, Long> before, Map<String, Long> expected)
      throws IOException {
    Map<String, Long> now = victim.counters();
    return expected.keySet().stream().mapToLong(name -> difference(now, before, name)).sum();
  }

  private static long missing(Attacked victim, Map<String, Long> before, Map<String, Long> expected)
      throws IOException {
    Map<String, Long> now = victim.counters();
    return expected.entrySet().stream()
        .filter(each -> difference(now, before, each.getKey()) < each.getValue())
        .count();
  }

  static long difference(Map<String, Long> after, Map<String, Long> before, String name) {
    return after.getOrDefault(name, 0L) - before.getOrDefault(name, 0L);
  }

  /** Returns the open flow of a host for a service, a missing node if there is none. */
  static JsonNode flow(SalHost host, String id) throws IOException {
    for (JsonNode flow : host.view("flows").path("flows")) {
      String state = flow.path("state").asText();
      if (flow.path("service").asText().startsWith(id) && !state.equals("TIMEWAIT")) {
        return flow;
      }
    }
    return MissingNode.getInstance();
  }
}
