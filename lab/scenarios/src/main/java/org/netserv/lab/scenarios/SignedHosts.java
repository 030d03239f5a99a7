// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.List;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.web.PacedWeb;
import org.netserv.values.PublisherKeys;
import org.netserv.values.PublisherKeys.Algorithm;

/**
 * A host with sald and its controller at a router that takes only signed registrations: nginx,
 * which knows nothing of it, is found by name. A registration that nobody has signed, and one by a
 * key that is not the owner's, make no rule. kill -9 of nginx, of sald and of the controller is
 * healed or forgotten.
 */
final class SignedHosts {
  /** The seconds after which the router forgets a registration. */
  static final int FORGETS = 6;

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String FEEDER = "signed hosts";
  private static final String SERVER = "server";
  private static final String USER = "user";
  private static final String OTHER = "second";
  private static final String ID = "00004001";
  private static final String URL = "http://web.serval:" + PacedWeb.PORT + "/file";
  private static final int PER_SECOND = 100;

  private final Stage stage;
  private final Testbed testbed;
  private final String router;
  private final KeyPair key = PublisherKeys.generate(Algorithm.ED25519);
  private SalHost server;
  private SalHost user;
  private SalHost other;

  /** Takes rows of the result. */
  interface Rows {
    void row(String feeder, String when, long expected, long seen);
  }

  /** Returns a counter of the router's module. */
  interface Counts {
    long count(String counter) throws IOException;
  }

  private final Rows rows;
  private final Counts counts;

  /**
   * Makes the play.
   *
   * @param router address of the far router
   */
  SignedHosts(Stage stage, String router, Rows rows, Counts counts) {
    this.stage = stage;
    this.testbed = stage.testbed();
    this.router = router;
    this.rows = rows;
    this.counts = counts;
  }

  /** Returns the property {@code owners} of the router. */
  String owners() {
    return "00004=" + PublisherKeys.printLine(key.getPublic());
  }

  /** Plays, with the near router for the user. */
  void play(String near) throws IOException {
    awaitRules(0); // the ones of earlier steps have ended
    PacedWeb web = PacedWeb.start(testbed, SERVER, PER_SECOND);
    server = SalHost.start(testbed, SERVER, "eth0");
    user = SalHost.start(testbed, USER, "eth0");
    other = SalHost.start(testbed, OTHER, "eth0");
    server.keep("register id=" + ID + " port=" + PacedWeb.PORT + " when=listening");
    user.keep("name name=web.serval id=" + ID);
    user.keep("forward id=default to=" + near);
    unsigned();
    Tool controller = controller(server, SERVER, key).await("registered, weight 1");
    awaitRules(1);
    row("rules of the far router with nginx", 1, rules());
    row("bytes by name", PacedWeb.BYTES, bytes());
    forged();
    killed(web, controller);
  }

  /** Registers as the published stack does. The router makes no rule of it. */
  private void unsigned() throws IOException {
    long refused = counts.count("REGISTRATION_OUTSIDE");
    server.order("router address=" + router);
    Wait.until(
        "the unsigned registration",
        PATIENCE,
        () -> counts.count("REGISTRATION_OUTSIDE") > refused);
    row("rules behind an unsigned registration", 0, rules());
  }

  /** Has another host register the service, by a key that is not the owner's. */
  private void forged() throws IOException {
    long refused = counts.count("SIGNED_NOT_OWNER");
    other.order("register id=" + ID + " port=" + PacedWeb.PORT);
    Tool forger =
        controller(other, OTHER, PublisherKeys.generate(Algorithm.ED25519)).await("NOT_OWNER");
    Wait.until("the refusal", PATIENCE, () -> counts.count("SIGNED_NOT_OWNER") > refused);
    row("rules behind a forged registration", 1, rules());
    forger.process().destroy();
    other.order("unregister id=" + ID);
  }

  private void killed(PacedWeb web, Tool controller) throws IOException {
    server.kill();
    server.start();
    Wait.pause(2 * FORGETS * 1000L);
    row("rules behind kill -9 of sald, refreshed", 1, rules());
    controller.process().destroyForcibly();
    awaitRules(0);
    row("rules behind kill -9 of the controller, forgotten", 0, rules());
    Tool again = controller(server, SERVER, key).await("registered, weight 1");
    awaitRules(1);
    row("bytes by name, registered anew", PacedWeb.BYTES, bytes());
    web.kill();
    awaitRules(0);
    row("rules behind kill -9 of nginx", 0, rules());
    PacedWeb.start(testbed, SERVER, PER_SECOND);
    awaitRules(1);
    row("bytes by name of the next nginx", PacedWeb.BYTES, bytes());
    again.process().destroy();
    awaitRules(0);
    row("rules behind SIGTERM of the controller", 0, rules());
  }

  /** Starts {@code netserv serval controller} beside a sald. */
  private Tool controller(SalHost host, String node, KeyPair by) throws IOException {
    String name = stage.unique("controller");
    Path file = host.state().resolve(name + ".key");
    Files.writeString(file, PublisherKeys.print(by.getPrivate()));
    Files.writeString(host.state().resolve(name + ".pub"), PublisherKeys.printLine(by.getPublic()));
    return Tool.start(
        testbed,
        node,
        name,
        List.of(
            LabHome.java().resolve("bin/java").toString(),
            "-Dnetserv.dist=" + LabHome.dist(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            LabHome.dist().resolve("cli") + "/*",
            "org.netserv.cli.Netserv",
            "serval",
            "controller",
            "--state",
            host.state().toString(),
            "--key",
            file.toString(),
            "--router",
            router));
  }

  private long bytes() throws IOException {
    return Long.parseLong(
        user.run("curl -sS -m 20 -o /dev/null -w '%{size_download}' " + URL).strip());
  }

  private void awaitRules(long expected) throws IOException {
    Wait.until("the rules of the router", PATIENCE, () -> rules() == expected);
  }

  private long rules() throws IOException {
    try (NodeClient client = testbed.client("far")) {
      return client.rules(Stage.PUBLISHER, ServalControllersRun.MODULE, ID).path("count").asLong();
    }
  }

  private void row(String when, long expected, long seen) {
    rows.row(FEEDER, when, expected, seen);
  }
}
