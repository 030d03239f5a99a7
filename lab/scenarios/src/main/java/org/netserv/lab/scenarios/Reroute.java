// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.netserv.lab.testbed.PathPublisher.Reply;
import org.netserv.lab.testbed.base.Wait;

/**
 * Moves the path from node b to node d. The nodes before them must notice within their state's
 * validity, so that the publisher's next refresh installs the module on d. Node b gets no more
 * refreshes, and must remove the module when its TTL is over.
 */
public final class Reroute implements Scenario {
  /**
   * Seconds. The module on b must still live when the next refresh is answered, however slow that
   * is. So b's last refresh comes right before the path moves. The SETUP before it starts a JVM on
   * each node, and on a busy machine that alone may take most of the TTL.
   */
  private static final int TTL = 90;

  private static final long REFRESH_MS = 10_000;
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final List<String> BEFORE = List.of("a", "b", "c");
  private static final List<String> AFTER = List.of("a", "d", "c");
  private static final int REFRESHES = 12;

  @Override
  public String topology() {
    return "path-reroute";
  }

  @Override
  public boolean play(Stage stage) throws IOException {
    try (PathStage path = PathStage.open(stage)) {
      PathChecks checks = new PathChecks(path);
      InetAddress user = path.address("user", false);
      stage.step("SETUP, TTL " + TTL + " s");
      checks.row("SETUP", path.setup(user, path.headers(false, TTL)), BEFORE, BEFORE);
      checks.row("a refresh", path.setup(user, path.headers(false, TTL)), BEFORE, BEFORE);
      stage.step("p1 and p2 send to d instead of b; the next refresh");
      stage.testbed().run("p1", "ip", "route", "replace", "default", "via", "10.0.5.2");
      stage.testbed().run("p2", "ip", "route", "replace", "default", "via", "10.0.6.1");
      Wait.pause(REFRESH_MS);
      Reply reply = path.setup(user, path.headers(false, TTL));
      checks.row("the next refresh", reply, AFTER, List.of("a", "b", "c", "d"));
      stage.step("b's copy dies by its TTL, while refreshes keep the others");
      for (int i = 0; i < REFRESHES && path.running("b") > 0; i++) {
        Wait.pause(REFRESH_MS);
        reply = path.setup(user, path.headers(false, TTL));
      }
      Wait.until("b to have removed it", PATIENCE, () -> !path.lastState("b").equals("removing"));
      checks.row("a later refresh", reply, AFTER, AFTER);
      String state = path.lastState("b");
      checks.fact("the module on b, says its history", state, state.equals("expired"));
      checks.row("REMOVE", path.remove(PathStage.MODULE, user), AFTER, List.of());
      return checks.show();
    }
  }
}
