// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
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

  /** The UDP address of the server's sald, and that of the far router. */
  static final String AT_SERVER = SERVER + ":" + ServalEnds.PORT;

  static final String AT_ROUTER = ServalRouters.FAR_ROUTER + ":" + ServalEnds.PORT;

  private static final long PATIENCE_SECONDS = 10;
  private static final int STEP_MILLIS = 30;

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
