// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.netserv.lab.CommandException;
import org.netserv.lab.LabHome;
import org.netserv.lab.Table;
import org.netserv.lab.Testbed;
import org.netserv.lab.Tool;
import org.netserv.lab.Wait;
import org.netserv.lab.node.CpuQuota;
import org.netserv.lab.node.LabPublisher;
import org.netserv.lab.node.NodeClient;
import org.netserv.lab.node.NodeDaemon;
import org.netserv.lab.tool.KeepAliveStream;
import org.netserv.nslp.Header;
import org.netserv.nslp.Ncm;

/**
 * A keep-alive module at half of the rate that it can do, while its neighbours burn CPU and memory
 * and get a flood of packets: it loses nothing, and its own quota never stops it. With the limits
 * off the same must fail, or there was no noise. Off means for all, the one that is looked at, too:
 * a container that has its cgroup is safe from others without one, for theirs is not the weight of
 * the node.
 */
public final class NoisyNeighbour implements Scenario {
  private static final Victim LIMITED = new Victim("sip", 5060, true);
  private static final Victim OPEN = new Victim("open", 5061, false);
  private static final String NOISY = "noisy";
  private static final String LOUD = "loud";
  private static final int NEIGHBOURS = 10;
  private static final int FIRST_PORT = 6001;
  private static final int FIRST_INDEX = 100;
  private static final double MOST_LOST = 0.001;

  private static final int FIRST_RATE = 250;
  private static final int LAST_RATE = 128_000;
  private static final int HALVINGS = 2;
  private static final int SEARCH_SECONDS = 2;
  private static final int NOISE_SECONDS = 8;

  /** Counters of a container are at most a second old. */
  private static final int COUNTED_MS = 1200;

  private static final int AGENT_PORT = 4000;
  private static final int FLOOD_RATE = 20_000;
  private static final int FLOOD_SECONDS = NOISE_SECONDS + 6;

  private record Victim(String publisher, int port, boolean limited) {}

  private interface Removal {
    Ncm get() throws IOException;
  }

  private Stage stage;
  private final Map<String, Removal> removals = new HashMap<>();
  private final Table table =
      new Table(
          "limits",
          "neighbours",
          "keep-alives/s",
          "sent",
          "lost",
          "lost %",
          "periods throttled",
          "");

  @Override
  public String topology() {
    return "noisy";
  }

  @Override
  public boolean play(Stage opened) throws IOException {
    stage = opened;
    stage.step("deploy the keep-alive responder; how many a second it answers without loss");
    deploy(LIMITED);
    int rate = most() / 2;
    stage.step("the same alone, once so that what runs often is compiled, then to be counted");
    boolean quiet = alone(LIMITED, rate);
    Path noise = HostileBundle.build("Noisy", stage.testbed().state());
    stage.step(NEIGHBOURS + " neighbours within their limits");
    setUpAll(NOISY, noise);
    boolean limited = flooded(LIMITED, rate);
    stage.step("another responder alone, on a node without limits");
    withoutLimits();
    removeNoisy();
    deploy(OPEN);
    boolean open = alone(OPEN, rate);
    stage.step("and " + NEIGHBOURS + " neighbours, without limits, too");
    setUpAll(LOUD, noise);
    boolean unlimited = flooded(OPEN, rate);
    stage.show(table);
    return quiet && limited && open && unlimited;
  }

  private boolean alone(Victim victim, int rate) throws IOException {
    send(victim, rate, NOISE_SECONDS);
    return measured(victim, "none", rate, true);
  }

  /** Twice as many each time, until some are lost or the sender cannot; then halves of the rest. */
  private int most() throws IOException {
    send(LIMITED, FIRST_RATE, SEARCH_SECONDS); // addresses are resolved, code is compiled
    int good = 0;
    int bad = 2 * LAST_RATE;
    for (int rate = FIRST_RATE; rate < bad; rate *= 2) {
      if (tooMany(rate)) {
        bad = rate;
      } else {
        good = rate;
      }
    }
    if (good == 0) {
      throw new CommandException("not even " + FIRST_RATE + " keep-alives a second are answered");
    }
    for (int i = 0; i < HALVINGS && bad <= LAST_RATE; i++) {
      int middle = (good + bad) / 2;
      if (tooMany(middle)) {
        bad = middle;
      } else {
        good = middle;
      }
    }
    return good;
  }

  /** Twice in a row: once may be the compiler, or the machine. */
  private boolean tooMany(int rate) throws IOException {
    for (int i = 0; i < 2; i++) {
      if (!loses(rate)) {
        return false;
      }
    }
    return true;
  }

  private boolean loses(int rate) throws IOException {
    Map<String, Long> result = send(LIMITED, rate, SEARCH_SECONDS);
    long sent = result.get("sent");
    boolean slow = result.get("millis") > SEARCH_SECONDS * 1100L;
    long lost = sent - result.get("answered");
    stage.out().printf("  %d/s: %d of %d lost%s%n", rate, lost, sent, slow ? ", too slow" : "");
    return slow || lost > sent * MOST_LOST;
  }

  private Map<String, Long> send(Victim victim, int rate, int seconds) throws IOException {
    int count = rate * seconds;
    List<String> agent =
        Testbed.tool(
            KeepAliveStream.class, "192.0.2.10", victim.port, rate, count, AGENT_PORT, "alone");
    return outside("agent", agent).result(5 * seconds + 60);
  }

  private boolean flooded(Victim victim, int rate) throws IOException {
    String flood = LabHome.dist().resolve("bin/lab-flood").toString();
    int each = FLOOD_RATE / NEIGHBOURS;
    for (int i = 0; i < NEIGHBOURS; i++) {
      String target = " 192.0.2.10 " + (FIRST_PORT + i) + " " + each * FLOOD_SECONDS + " " + each;
      outside("flood", List.of("sh", "-c", "echo noise | exec " + flood + target));
    }
    return measured(victim, NEIGHBOURS + " that burn", rate, victim.limited);
  }

  /** Users are other machines: what runs for them has another processor than the node. */
  private Tool outside(String name, List<String> command) throws IOException {
    List<String> first = new ArrayList<>(List.of("taskset", "-c", "0"));
    first.addAll(command);
    return Tool.start(stage.testbed(), "user", stage.unique(name), first);
  }

  private boolean measured(Victim victim, String neighbours, int rate, boolean well)
      throws IOException {
    Map<String, Long> counters = counters(victim);
    long before = victim.limited ? CpuQuota.throttled(pid()) : 0;
    Map<String, Long> result = send(victim, rate, NOISE_SECONDS);
    long periods = victim.limited ? CpuQuota.throttled(pid()) - before : 0;
    long sent = result.get("sent");
    long lost = sent - result.get("answered");
    boolean good = lost <= sent * MOST_LOST && periods == 0;
    if (lost > 0) {
      whatMoved(counters, counters(victim));
    }
    table.row(
        victim.limited ? "on" : "off",
        neighbours,
        rate,
        sent,
        lost,
        "%.2f".formatted(100.0 * lost / sent),
        victim.limited ? periods : "no quota",
        good == well ? (good ? "ok" : "ok: fails, as it must") : "WRONG");
    return good == well;
  }

  /** Where the lost ones may have gone. */
  private void whatMoved(Map<String, Long> before, Map<String, Long> after) {
    after.forEach(
        (name, value) -> {
          long moved = value - before.getOrDefault(name, 0L);
          if (moved != 0) {
            stage.out().printf("  %s: %d more%n", name, moved);
          }
        });
  }

  private Map<String, Long> counters(Victim victim) throws IOException {
    Wait.pause(COUNTED_MS);
    Map<String, Long> counters = new TreeMap<>();
    try (NodeClient client = stage.testbed().client("node")) {
      for (JsonNode container : client.counters(victim.publisher).path("containers")) {
        container
            .path("pktio")
            .properties()
            .forEach(counter -> counters.put(counter.getKey(), counter.getValue().asLong()));
      }
    }
    return counters;
  }

  private long pid() throws IOException {
    try (NodeClient client = stage.testbed().client("node")) {
      for (var container : client.status().path("containers")) {
        if (container.path("publisher").asText().equals(LIMITED.publisher)) {
          return container.path("pid").asLong();
        }
      }
    }
    throw new CommandException("the victim has no container");
  }

  private void deploy(Victim victim) throws IOException {
    Path jar = LabHome.dist().resolve("apps/keepalive.jar");
    setUp(victim.publisher, jar, victim.port, Map.of("pass-every", "0"));
  }

  private void setUp(String publisher, Path unsigned, int port, Map<String, String> properties)
      throws IOException {
    LabPublisher signer = stage.testbed().publisher(publisher);
    LabPublisher.Bundle bundle = signer.publish(unsigned);
    InetAddress server = stage.server(false);
    Map<Header, String> filter =
        Map.of(Header.FILTER_PORT, Integer.toString(port), Header.FILTER_PROTO, "udp");
    try (NodeClient node = stage.testbed().client("node")) {
      NodeClient.Answer answer = node.ncm(signer.setup(bundle, server, server, filter, properties));
      if (!answer.running()) {
        throw new CommandException("SETUP of " + publisher + "'s module: " + answer);
      }
    }
    removals.put(publisher, () -> signer.remove(bundle, server));
  }

  private void setUpAll(String name, Path noise) throws IOException {
    for (int i = 0; i < NEIGHBOURS; i++) {
      setUp(name + (i + 1), noise, FIRST_PORT + i, Map.of());
    }
  }

  private void removeNoisy() throws IOException {
    try (NodeClient node = stage.testbed().client("node")) {
      for (int i = 0; i < NEIGHBOURS; i++) {
        NodeClient.Answer answer = node.ncm(removals.get(NOISY + (i + 1)).get());
        if (answer.status() != 200) {
          throw new CommandException("REMOVE of a neighbour's module: " + answer);
        }
      }
    }
  }

  /** For containers from now on: quotas as high as they go, no cgroup and no rules. */
  private void withoutLimits() throws IOException {
    ObjectNode config = JsonNodeFactory.instance.objectNode();
    config.putObject("fetch").putArray("allow").add("192.0.2.10/32");
    config.putObject("isolation").putArray("without").add("cgroup").add("rules");
    unlimited(config, FIRST_INDEX, OPEN.publisher, OPEN.port);
    for (int i = 0; i < NEIGHBOURS; i++) {
      unlimited(config, FIRST_INDEX + 1 + i, LOUD + (i + 1), FIRST_PORT + i);
    }
  }

  private void unlimited(ObjectNode config, int index, String publisher, int port)
      throws IOException {
    ObjectNode policy = JsonNodeFactory.instance.objectNode();
    policy.put("index", index).put("operator", true);
    policy.putArray("prefixes").add("192.0.2.10/32");
    policy.putArray("ports").add("udp/" + port);
    policy
        .putObject("quotas")
        .put("cpu", 6400)
        .put("memory", 4096)
        .put("heap", 1024)
        .put("packets-per-second", 0);
    policy.putObject("limits").put("deadline", 1000);
    NodeDaemon.reconfigure(stage.testbed(), "node", config, publisher, policy);
  }
}
