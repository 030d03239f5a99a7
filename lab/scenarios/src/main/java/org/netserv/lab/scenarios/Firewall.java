// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.PacketCounter;
import org.netserv.lab.testbed.tool.KeepAliveStream;
import org.netserv.lab.testbed.tool.UdpSink;
import org.netserv.ncm.Header;

/**
 * Lets an operator's tools flush, reload and restore the rules of a node that runs modules.
 *
 * <p>A container probes an address and the node itself every 10 ms. It may reach neither, so no
 * probe may arrive at any moment. A module must answer keep-alives again within a second. The
 * operator's rules must be the rules that the same commands leave on a machine without NetServ. A
 * subscriber's packets with a source in the containers' prefix must pass with that source. In the
 * control, a container without the layer {@code rules} reaches the denied address.
 */
public final class Firewall implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int ALLOWED = 7001;
  private static final int DENIED = 7002;
  private static final int SIP = 5060;
  private static final int RATE = 50;
  private static final int MOST_GAP_MS = 1000;
  private static final int PINGS = 40;
  private static final String SUBSCRIBER = "100.64.63.10";

  private final ResultTable table =
      new ResultTable(
          "what the operator does",
          "allowed",
          "denied",
          "node",
          "gap ms",
          "subscriber",
          "operator's rules",
          "");
  private Stage stage;
  private Testbed testbed;
  private PacketCounter allowed;
  private PacketCounter denied;
  private PacketCounter subscriber;
  private Tool own;
  private int port = 20_000;
  private boolean holds = true;

  @Override
  public String topology() {
    return "firewall";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    testbed.run("user", "ip", "address", "add", SUBSCRIBER + "/32", "dev", "lo");
    allowed = PacketCounter.install(testbed, "server", "eth0", ALLOWED);
    denied = PacketCounter.install(testbed, "server", "eth0", DENIED);
    subscriber = PacketCounter.of(testbed, "server", "-s", SUBSCRIBER);
    own =
        Tool.start(testbed, "node", stage.unique("sink"), UdpSink.class, DENIED, 1).await("ready");
    stage.step("deploy a responder and a container that probes");
    stage.deploy(LabHome.dist().resolve("apps/keepalive.jar"), SIP, Map.of("pass-every", "0"));
    Path prober = HostileBundle.build("Prober", testbed.state(), "org.osgi.framework");
    stage.deployServer("node", Stage.PUBLISHER, prober, Map.of());
    Wait.until("the first probe", PATIENCE, () -> allowed.read() > 0);
    for (OperatorAct act : OperatorAct.all()) {
      if (stage.wants(act.name())) {
        row(act);
      }
    }
    stage.step("a container that starts while rules are flushed");
    Bundle second = restart(prober);
    stage.step("control: a container without the layer `rules`");
    PacketCounter control = PacketCounter.install(testbed, "server", "eth1", DENIED);
    stage.deployServer("open", Stage.PUBLISHER, prober, Map.of());
    boolean reached = reaches(control);
    table.row(
        "nothing, without the layer `rules`", "", control.read(), "", "", "", "", mark(reached));
    stage.remove(second);
    stage.show(table);
    return holds;
  }

  private static boolean reaches(PacketCounter counter) throws IOException {
    try {
      Wait.until("a denied probe", PATIENCE, () -> counter.read() > 0);
      return true;
    } catch (LabException e) {
      return false;
    }
  }

  private String mark(boolean good) {
    holds &= good;
    return good ? "ok" : "WRONG";
  }

  private boolean running(String name, LabPublisher publisher, Bundle bundle) throws IOException {
    try (NodeClient node = testbed.client(name)) {
      NodeClient.Answer answer =
          node.ncm(
              publisher.setup(
                  bundle,
                  stage.server(false),
                  stage.server(false),
                  new EnumMap<>(Header.class),
                  Map.of()));
      if (!answer.running() && answer.status() != 503) {
        throw new LabException("refused: " + answer);
      }
      return answer.running();
    }
  }

  private void row(OperatorAct act) throws IOException {
    stage.step(act.name());
    if (!act.exists()) {
      table.row(act.name(), "", "", "", "", "", "", "not tried: no " + act.program());
      return;
    }
    long allowedBefore = allowed.read();
    long subscriberBefore = subscriber.read();
    Tool stream =
        Tool.start(
            testbed,
            "user",
            stage.unique("agent"),
            KeepAliveStream.class,
            stage.server(false).getHostAddress(),
            SIP,
            RATE,
            RATE * act.seconds(),
            port++,
            "alone");
    testbed.run("node", "sh", "-c", act.script());
    ping();
    Map<String, Long> result = stream.result(60);
    testbed.run("bare", "sh", "-c", act.script());
    String there = operatorRules("node");
    boolean same = there.equals(operatorRules("bare"));
    boolean good =
        denied.read() == 0
            && own.running()
            && allowed.read() > allowedBefore
            && result.get("answered") > 0
            && result.get("gap") <= MOST_GAP_MS
            && subscriber.read() - subscriberBefore == PINGS
            && same;
    table.row(
        act.name(),
        allowed.read() - allowedBefore,
        denied.read(),
        own.running() ? 0 : 1,
        result.get("gap"),
        (subscriber.read() - subscriberBefore) + " of " + PINGS,
        same ? "as without NetServ" : "CHANGED",
        mark(good));
    for (String node : List.of("node", "bare")) {
      testbed.run(node, "sh", "-c", act.undo());
    }
  }

  private void ping() throws IOException {
    testbed.run(
        "user",
        "sh",
        "-c",
        "ping -q -n -i 0.02 -c " + PINGS + " -I " + SUBSCRIBER + " 192.0.2.10 || true");
  }

  /** Restarts the container while the node's rules are flushed all the time. */
  private Bundle restart(Path prober) throws IOException {
    LabPublisher publisher = testbed.publisher(Stage.PUBLISHER);
    Bundle bundle = publisher.publish(prober);
    stage.remove(bundle);
    long before = allowed.read();
    Process flushes =
        testbed.spawn(
            "node",
            stage.unique("flushes"),
            List.of(
                "sh",
                "-c",
                "while :; do nft flush ruleset; sleep 0.3; iptables-nft -F; sleep 0.3; done"));
    try {
      Wait.until(
          "the container beside flushes", PATIENCE, () -> running("node", publisher, bundle));
    } finally {
      flushes.destroy();
    }
    boolean works = probes(before);
    table.row(
        "flushes while a module starts",
        allowed.read() - before,
        denied.read(),
        own.running() ? 0 : 1,
        "",
        "",
        "",
        mark(works && denied.read() == 0 && own.running()));
    return bundle;
  }

  private boolean probes(long before) throws IOException {
    try {
      Wait.until("its probes", PATIENCE, () -> allowed.read() > before);
      return true;
    } catch (LabException e) {
      stage.out().println(NodeDaemon.controllerLog(NodeDaemon.root(testbed, "node"), 20));
      return false;
    }
  }

  /** Returns the rules and policies of others, without counters and without empty chains. */
  private String operatorRules(String node) throws IOException {
    return testbed.run(
        node,
        "sh",
        "-c",
        "for t in iptables ip6tables; do $t-nft-save 2>/dev/null |"
            + " grep -e '^-A' -e '^:[^ ]* DROP' | grep -v NETSERV | sed 's/\\[.*//'; done;"
            + " nft -s list tables | grep -v -e 'table ip ' -e 'table ip6 ' -e 'inet netserv' |"
            + " while read -r t; do nft -s list $t; done");
  }
}
