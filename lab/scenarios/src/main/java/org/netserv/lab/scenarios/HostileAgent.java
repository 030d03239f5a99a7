// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.ncm.Header;

/**
 * Lets three containers attack the controller by {@code container.sock}: one below the rate at
 * which it is restarted, one as fast as it can, one in the agent's place. Meanwhile the controller
 * must neither grow nor restart. It must answer {@code status}, serve a neighbour, and write a
 * bounded log. Each refusal has a counter. Each counter must have grown, or an attack did not
 * arrive.
 */
public final class HostileAgent implements Scenario {
  private static final String FULL = "ten minutes";
  private static final int MINUTES = 10;
  private static final long SHORT_MS = 45_000;

  private static final long STATUS_EVERY_MS = 50;

  /** Limit of the full form. The short one runs beside other tests, and counts answers. */
  private static final long STATUS_P99_MS = 100;

  /** One answer at least in so many milliseconds, in the short form. */
  private static final long STATUS_ANSWERED_EVERY_MS = 200;

  private static final long SETUP_EVERY_MS = 5_000;
  private static final long SETUP_MS = 5_000;
  private static final long ROUND_MS = 500;

  /** Limit of the controller's own log in a minute: 64 KiB for each attacker. */
  private static final long LOG_BYTES_PER_MINUTE = 3L * (64 << 10);

  /**
   * Limit of growth, as for a JVM in {@link Vitals}. The controller may still compile and fill its
   * heap.
   */
  private static final double GROWTH = 0.15;

  private static final long GROWTH_KB = 24 << 10;

  /**
   * The controller warms up in the first third of the time. Its memory must not grow any more after
   * that.
   */
  private static final int WARM = 3;

  /** Publishers that attack, each with its module and the port of its filter. */
  private static final Map<String, Attacker> ATTACKERS =
      Map.of(
          "visitor", new Attacker("HostileVisitor", 7001),
          "flood", new Attacker("HostileFlood", 7002),
          "taker", new Attacker("HostileTaker", 7003));

  private static final List<String> REFUSALS =
      List.of(
          "connections",
          "connect-rate",
          "second-agent",
          "late-hello",
          "bad-hello",
          "cut",
          "empty",
          "too-long",
          "kind",
          "not-json",
          "json-limit",
          "not-object",
          "second-hello",
          "unknown-event",
          "unasked-reply",
          "unknown-message");

  private record Attacker(String module, int port) {}

  private Stage stage;
  private long end;
  private final Map<String, Bundle> bundles = new TreeMap<>();
  private final Map<String, Integer> deployed = new TreeMap<>();
  private final List<Long> status = new ArrayList<>();
  private final List<Long> setups = new ArrayList<>();

  @Override
  public String topology() {
    return "hostile-agent";
  }

  @Override
  public boolean play(Stage opened) throws IOException {
    stage = opened;
    stage.step("deploy a neighbour and three modules that attack the controller");
    deploy("sip", LabHome.dist().resolve("apps/keepalive.jar"), 5060);
    for (Map.Entry<String, Attacker> attacker : ATTACKERS.entrySet()) {
      Path bundle =
          HostileBundle.build(
              attacker.getValue().module(),
              stage.testbed().state(),
              HostileBundle.IMPORTS,
              "HostileAgent",
              "attempts/AgentLink");
      deploy(attacker.getKey(), bundle, attacker.getValue().port());
    }
    boolean full = stage.wants(FULL);
    long millis = full ? TimeUnit.MINUTES.toMillis(stage.minutes(MINUTES)) : SHORT_MS;
    stage.step("attack for " + millis / 1000 + " s");
    end = now() + millis;
    Controller controller = new Controller(millis);
    try (Beside questions = new Beside("status", this::askForStatus);
        Beside neighbour = new Beside("neighbour", this::setUpNeighbour)) {
      while (now() < end) {
        controller.look();
        bringBack();
        Wait.pause(ROUND_MS);
      }
      questions.join();
      neighbour.join();
    }
    return verdict(controller, full ? 0 : millis / STATUS_ANSWERED_EVERY_MS);
  }

  private static long now() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  // ---- beside the attack

  /** Asks for {@code status} on one connection, as a monitoring system does. */
  private void askForStatus() throws IOException {
    try (NodeClient node = stage.testbed().client("node")) {
      node.status();
      while (now() < end) {
        long begin = now();
        node.status();
        status.add(now() - begin);
        Wait.pause(STATUS_EVERY_MS);
      }
    }
  }

  private void setUpNeighbour() throws IOException {
    LabPublisher publisher = stage.testbed().publisher("sip");
    Bundle bundle = bundles.get("sip");
    InetAddress server = stage.server(false);
    while (now() < end) {
      try (NodeClient node = stage.testbed().client("node")) {
        NodeClient.Answer removed = node.ncm(publisher.remove(bundle, server));
        long begin = now();
        NodeClient.Answer answer =
            node.ncm(publisher.setup(bundle, server, server, filter(5060), Map.of()));
        setups.add(answer.running() ? now() - begin : Long.MAX_VALUE);
        if (removed.status() != 200 || !answer.running()) {
          stage.out().println("  neighbour: REMOVE " + removed + ", SETUP " + answer);
        }
      }
      Wait.pause(SETUP_EVERY_MS);
    }
  }

  private static Map<Header, String> filter(int port) {
    return Map.of(Header.FILTER_PORT, Integer.toString(port), Header.FILTER_PROTO, "udp");
  }

  private void deploy(String publisher, Path unsigned, int port) throws IOException {
    Bundle bundle = stage.testbed().publisher(publisher).publish(unsigned);
    bundles.put(publisher, bundle);
    setUp(publisher, port);
  }

  private void setUp(String publisher, int port) throws IOException {
    InetAddress server = stage.server(false);
    LabPublisher signer = stage.testbed().publisher(publisher);
    try (NodeClient node = stage.testbed().client("node")) {
      NodeClient.Answer answer =
          node.ncm(signer.setup(bundles.get(publisher), server, server, filter(port), Map.of()));
      if (answer.running()) {
        deployed.merge(publisher, 1, Integer::sum);
      } else {
        stage.out().println("  SETUP of " + publisher + ": " + answer);
      }
    }
  }

  /**
   * Sets up the module of each attacker that has none, because the node took it away for its
   * misuse.
   */
  private void bringBack() throws IOException {
    JsonNode containers;
    try (NodeClient node = stage.testbed().client("node")) {
      containers = node.status().path("containers");
    }
    Map<String, Integer> modules = new TreeMap<>();
    containers.forEach(c -> modules.put(c.path("publisher").asText(), c.path("modules").size()));
    for (Map.Entry<String, Attacker> attacker : ATTACKERS.entrySet()) {
      if (modules.getOrDefault(attacker.getKey(), 0) == 0) {
        setUp(attacker.getKey(), attacker.getValue().port());
      }
    }
  }

  /** Work on a thread of its own. If the work fails, the scenario fails. */
  private static final class Beside implements AutoCloseable {
    private final Thread thread;
    private volatile IOException failure;

    Beside(String name, Work work) {
      thread =
          new Thread(
              () -> {
                try {
                  work.run();
                } catch (IOException e) {
                  failure = e;
                }
              },
              name);
      thread.setDaemon(true);
      thread.start();
    }

    void join() throws IOException {
      try {
        thread.join(Duration.ofMinutes(2).toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      if (failure != null) {
        throw failure;
      }
    }

    @Override
    public void close() {
      thread.interrupt();
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  // ---- the controller, looked at from outside

  private final class Controller {
    private final NodeProcesses node = NodeProcesses.of(stage.testbed(), "node");
    private final Path log =
        NodeDaemon.root(stage.testbed(), "node").resolve("var/log/netserv/controller.log");
    private final long pid = node.pid("controller");
    private final long begin = now();
    private final long warm;
    private long logSize = Files.size(log);
    private long written;
    private long warmKb;
    private long mostKb;
    private boolean another;

    Controller(long millis) throws IOException {
      warm = begin + millis / WARM;
    }

    void look() throws IOException {
      another |= node.pid("controller") != pid;
      long kb = node.residentKb("controller");
      if (now() < warm) {
        warmKb = Math.max(warmKb, kb);
      } else {
        mostKb = Math.max(mostKb, kb);
      }
      long size = Files.size(log);
      written += size >= logSize ? size - logSize : size; // The log was rotated.
      logSize = size;
    }

    boolean flat() {
      return mostKb <= warmKb * (1 + GROWTH) + GROWTH_KB;
    }

    long logPerMinute() {
      return written * TimeUnit.MINUTES.toMillis(1) / Math.max(1, now() - begin);
    }
  }

  /**
   * Prints the tables.
   *
   * @param answers answers to {@code status} that count as enough; 0 = their delay counts
   */
  private boolean verdict(Controller controller, long answers) throws IOException {
    JsonNode refused;
    try (NodeClient node = stage.testbed().client("node")) {
      refused = node.status().path("socketRefusals");
    }
    ResultTable arrived = new ResultTable("refused on container.sock", "count", "");
    boolean all = true;
    for (String name : REFUSALS) {
      long count = refused.path(name).asLong();
      arrived.row(name, count, count > 0 ? "ok" : "DID NOT ARRIVE");
      all &= count > 0;
    }
    stage.show(arrived);
    stage.out().println("  attackers set up: " + deployed);
    status.sort(null);
    setups.sort(null);
    long p99 = status.isEmpty() ? Long.MAX_VALUE : status.get(status.size() * 99 / 100);
    long slowest = setups.isEmpty() ? Long.MAX_VALUE : setups.get(setups.size() - 1);
    ResultTable table = new ResultTable("of the controller", "seen", "at most", "");
    boolean holds = all;
    holds &= row(table, "restarts", controller.another ? 1 : 0, 0);
    long flatKb = (long) (controller.warmKb * (1 + GROWTH)) + GROWTH_KB;
    holds &= row(table, "resident KB after the first third", controller.mostKb, flatKb);
    if (answers == 0) {
      holds &= row(table, "status p99, ms of " + status.size(), p99, STATUS_P99_MS);
    } else {
      long missing = Math.max(0, answers - status.size());
      holds &= row(table, "answers to status missing of " + answers, missing, 0);
    }
    holds &= row(table, "a neighbour's SETUP, ms of " + setups.size(), slowest, SETUP_MS);
    holds &= row(table, "log bytes a minute", controller.logPerMinute(), LOG_BYTES_PER_MINUTE);
    stage.show(table);
    return holds && controller.flat();
  }

  private static boolean row(ResultTable table, String name, long seen, long most) {
    boolean holds = seen <= most;
    table.row(name, seen, most, holds ? "ok" : "WRONG");
    return holds;
  }
}
