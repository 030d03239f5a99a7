// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.PathPublisher.Reply;
import org.netserv.lab.testbed.base.Wait;

/**
 * Kills node b's signaling daemon, then its sigio, then everything, while a module runs on the
 * path. The publisher only sends its SETUP again, as it does anyway. Each time the whole path must
 * answer again. No node may install the module a second time while it has it.
 */
public final class PeerRestart implements Scenario {
  private static final String PEER = "b";
  private static final int TTL = 3600;

  /**
   * Time between a publisher's refreshes. The neighbours of b look for b again within their state's
   * validity.
   */
  private static final long EVERY_MS = 5000;

  private static final int REFRESHES = 18;

  private PathStage path;
  private PathChecks checks;
  private InetAddress user;

  @Override
  public String topology() {
    return "path";
  }

  @Override
  public boolean play(Stage stage) throws IOException {
    try (PathStage opened = PathStage.open(stage)) {
      path = opened;
      checks = new PathChecks(path);
      user = path.address("user", false);
      path.stage().step("SETUP");
      checks.row("SETUP", setup(), path.nodes(), path.nodes());
      for (String victim : List.of("nsis-gist", "sigio")) {
        kill(victim);
        installedOnce("after " + victim);
      }
      restart();
      // The container died with its node, so its log has one installation, in the next container.
      installedOnce("after the node");
      checks.row("REMOVE", path.remove(PathStage.MODULE, user), path.nodes(), List.of());
      return checks.show();
    }
  }

  private Reply setup() throws IOException {
    return path.setup(user, path.headers(false, TTL));
  }

  private void kill(String victim) throws IOException {
    path.stage().step("kill -9 " + victim + " of " + PEER + ", and refresh");
    NodeProcesses.of(path.testbed(), PEER).kill(victim);
    recover(victim);
  }

  private void restart() throws IOException {
    path.stage().step("kill -9 everything of " + PEER + ", start it, and refresh");
    NodeProcesses.of(path.testbed(), PEER).killAll();
    NodeDaemon.start(path.testbed(), PEER).await();
    recover("node");
  }

  private void recover(String what) throws IOException {
    Reply reply = setup();
    int refreshes = 1;
    while (refreshes < REFRESHES && !path.stack(reply).equals(PathStage.all200(path.nodes()))) {
      path.stage().out().println("  not yet: " + path.stack(reply) + ", " + reply.end());
      Wait.pause(EVERY_MS);
      reply = setup();
      refreshes++;
    }
    checks.row("refresh " + refreshes + " after " + what, reply, path.nodes(), path.nodes());
  }

  private void installedOnce(String when) throws IOException {
    for (String node : path.nodes()) {
      int installed = path.installed(node);
      int twice = path.acceptedTwice(node);
      checks.fact(
          "installed by " + node + " " + when + ", says its history",
          installed + ", accepted twice " + twice,
          installed == 1 && twice == 0);
    }
  }
}
