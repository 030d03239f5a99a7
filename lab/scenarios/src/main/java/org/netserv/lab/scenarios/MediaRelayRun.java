// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;

/**
 * The media relay in a publisher's container: coturn's client in all combinations, a call from
 * behind a symmetric NAT, peers that must not be reached, and the end of its container by kill -9.
 */
public final class MediaRelayRun implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String SECRET = "lab-secret";
  private static final int SHORT_SECONDS = 30;
  private static final int HELD = 50;
  private static final int CALLS = 1000;

  /**
   * Properties under which coturn's client plays. It is its own peer in some combinations. All
   * clients have one address. The client leaves the allocation of its probe behind.
   */
  private static final Map<String, String> MATRIX =
      Map.of("hairpin", "on", "strangers-per-second", "0", "lifetime-most", "600");

  private final boolean quick;
  private Stage stage;
  private Testbed testbed;
  private Bundle bundle;
  private String keys;

  private MediaRelayRun(boolean quick) {
    this.quick = quick;
  }

  /** Returns the whole scenario. */
  public static Scenario whole() {
    return new MediaRelayRun(false);
  }

  /** Returns a form that takes less than a minute. */
  public static Scenario quick() {
    return new MediaRelayRun(true);
  }

  @Override
  public String topology() {
    return "media-relay";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    bundle =
        testbed.publisher(Stage.PUBLISHER).publish(LabHome.dist().resolve("apps/media-relay.jar"));
    RelayMatrix matrix = new RelayMatrix(stage, SECRET);
    Tool mirror = matrix.mirror();
    RelayKernel kernel = new RelayKernel(stage, SECRET);
    kernel.wholeChecksums();
    boolean holds = true;
    boolean offered = offered();
    if (offered && stage.wants("kernel")) {
      holds = inKernel(kernel);
    }
    stage.step("SETUP of the relay");
    setUp(Map.of());
    if (quick) {
      stage.step("coturn's client in some combinations");
      holds &= matrix.play(RelayRows.few(), stage.runs(), 50);
    }
    RelayCall call = new RelayCall(stage, SECRET);
    if (stage.wants("call")) {
      stage.step("a call from behind a symmetric NAT");
      holds &= call.fromBehindTheNat(quick ? 250 : 1500);
    }
    if (stage.wants("refusals")) {
      stage.step("peers that nobody reaches");
      holds &= call.refusals();
    }
    if (!quick) {
      holds &= everyCombination(matrix, kernel, offered && stage.wants("kernel"));
    }
    startAnew(Map.of("strangers-per-second", "0")); // all callers have one address
    holds &= quick || matrix.counted(RelayLog.of(testbed));
    if (stage.wants("refusals")) {
      holds &= call.named();
    }
    RelayFaults faults = new RelayFaults(stage, SECRET, quick);
    if (offered && faults.wanted()) {
      holds &= faults.kill(quick ? 50 : CALLS);
    }
    mirror.process().destroy();
    return holds;
  }

  /**
   * Plays all combinations of coturn's client, and what else needs a relay between two allocations.
   *
   * @param permissions whether channels in the kernel are watched until their permissions are over
   */
  private boolean everyCombination(RelayMatrix matrix, RelayKernel kernel, boolean permissions)
      throws IOException {
    boolean client = matrix.wants(RelayRows.all()) || matrix.wants(RelayRows.limits());
    if (!client && !permissions && !stage.wants("ICE")) {
      return true;
    }
    startAnew(MATRIX);
    RelayKernel.Held held = permissions ? kernel.permitted(HELD) : null;
    stage.step("coturn's client in every combination");
    boolean holds = matrix.play(RelayRows.all(), stage.runs(), 100);
    if (permissions) {
      stage.step("permissions end");
      holds &= kernel.permissionsOver(held);
    }
    stage.step("coturn's client where not each message can come back");
    holds &= matrix.limits();
    matrix.end();
    if (stage.wants("ICE")) {
      stage.step("calls on ICE stacks of others, both ends relayed");
      holds &= new IceStacks(stage, SECRET).play();
    }
    return holds;
  }

  /** Tells whether this kernel relays channels, when the node has its fast path or none. */
  private boolean offered() throws IOException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (fastPath().path("interfaces").isEmpty() && System.nanoTime() - end < 0) {
      Wait.pause(100);
    }
    JsonNode path = fastPath();
    boolean relays = path.path("features").toString().contains("\"relay\"");
    if (!relays) {
      stage.out().println("  no channels in this kernel: " + path);
    }
    return relays;
  }

  private JsonNode fastPath() throws IOException {
    try (NodeClient node = testbed.client("node")) {
      return node.status().path("fastPath");
    }
  }

  /** A life of the module for the kernel's channels alone, so that its counters are about them. */
  private boolean inKernel(RelayKernel kernel) throws IOException {
    stage.step("channels of coturn's client in the kernel");
    setUp(Map.of());
    boolean holds = kernel.channels(quick, quick ? 100 : 300);
    if (!quick) {
      stage.step("the same past the stack, forward: direct");
      configure("direct");
      holds &= kernel.channels(false, 300);
      configure("kernel");
    }
    stage.step("the module starts anew, allocations expire, and REMOVE");
    startAnew(Map.of("lifetime", Integer.toString(SHORT_SECONDS)));
    holds &= kernel.agrees();
    holds &= kernel.expiry(HELD, SHORT_SECONDS);
    return kernel.removed(HELD, () -> stage.remove(bundle)) && holds;
  }

  /** Makes the node read the topology's configuration with another way of forwarding. */
  private void configure(String forward) throws IOException {
    ObjectNode config = new ObjectMapper().createObjectNode();
    config.put("sysctl", "set").put("spares", 1);
    config.putObject("fetch").putArray("allow").add("192.0.2.10/32");
    ObjectNode fast = config.putObject("fast-path");
    fast.put("forward", forward).putArray("interfaces").add("home").add("lan").add("far");
    NodeDaemon.reconfigure(testbed, "node", config);
    Wait.until(
        "the configuration", PATIENCE, () -> fastPath().path("forward").asText().equals(forward));
  }

  /** Gives the running module other properties, with which it starts anew. */
  private void startAnew(Map<String, String> more) throws IOException {
    int before = RelayLog.of(testbed).times();
    setUp(more);
    Wait.until("the module to start anew", PATIENCE, () -> RelayLog.of(testbed).times() > before);
  }

  private void setUp(Map<String, String> more) throws IOException {
    Map<String, String> properties = new TreeMap<>(more);
    properties.put("secret", SECRET);
    properties.put("token-keys", RelayTokens.property());
    if (keys == null) {
      keys = ServerKeys.make(testbed, "server", "node");
    }
    properties.put("tls-keys", keys);
    properties.put("tls-password", ServerKeys.PASSWORD);
    properties.put("node", "192.0.2.1 198.51.100.1 203.0.113.1 2001:db8:3::1");
    stage.serve(bundle, properties);
  }
}
