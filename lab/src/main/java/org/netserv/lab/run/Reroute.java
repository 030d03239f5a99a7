// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.run;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.netserv.lab.node.PathPublisher.Reply;

/**
 * The path moves from node b to node d. The publisher's next refreshes install the module on d; b,
 * which hears no more of it, removes it when its TTL is over.
 */
public final class Reroute implements Scenario {
  private static final int TTL = 40;
  private static final List<String> BEFORE = List.of("a", "b", "c");
  private static final List<String> AFTER = List.of("a", "d", "c");
  private static final int TRIES = 6;

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
      stage.step("p1 and p2 send to d instead of b; refresh");
      stage.testbed().run("p1", "ip", "route", "replace", "default", "via", "10.0.5.2");
      stage.testbed().run("p2", "ip", "route", "replace", "default", "via", "10.0.6.1");
      Reply reply = path.setup(user, path.headers(false, TTL));
      int refreshes = 1;
      while (refreshes < TRIES && !path.stack(reply).equals(PathStage.all200(AFTER))) {
        stage.out().println("  not yet: " + path.stack(reply) + ", " + reply.end());
        reply = path.setup(user, path.headers(false, TTL));
        refreshes++;
      }
      checks.fact("the new path answers", "refresh " + refreshes, refreshes < TRIES);
      stage.step("b's copy dies by its TTL, while refreshes keep the others");
      String running = "a c d";
      for (int i = 0; i < TTL && !path.runningOn().equals(running); i++) {
        reply = path.setup(user, path.headers(false, TTL));
        org.netserv.lab.Wait.pause(3000);
      }
      checks.row("refresh", reply, AFTER, AFTER);
      String state = path.lastState("b");
      checks.fact("the module on b, says its history", state, state.equals("expired"));
      checks.row("REMOVE", path.remove(PathStage.MODULE, user), AFTER, List.of());
      return checks.show();
    }
  }
}
