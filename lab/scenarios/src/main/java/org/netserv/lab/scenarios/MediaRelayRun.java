// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;

/**
 * The media relay in a publisher's container: coturn's client in all combinations, a call from
 * behind a symmetric NAT, peers that must not be reached, and the end of its container by kill -9.
 */
public final class MediaRelayRun implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String SECRET = "lab-secret";

  private final boolean quick;
  private Stage stage;
  private Testbed testbed;

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
    stage.step("SETUP of the relay");
    setUp();
    RelayMatrix matrix = new RelayMatrix(stage, SECRET);
    Tool mirror = matrix.mirror();
    stage.step("coturn's client in every combination");
    boolean holds = matrix.play(RelayMatrix.rows(quick), quick ? 50 : 300);
    RelayCall call = new RelayCall(stage, SECRET);
    if (stage.wants("call")) {
      stage.step("a call from behind a symmetric NAT");
      holds &= call.fromBehindTheNat(quick ? 250 : 1500);
    }
    if (stage.wants("refusals")) {
      stage.step("peers that nobody reaches");
      holds &= call.refusals();
    }
    if (stage.wants("kill")) {
      stage.step("kill -9 of the container");
      holds &= call.kill();
    }
    mirror.process().destroy();
    return holds;
  }

  private void setUp() throws IOException {
    LabPublisher publisher = testbed.publisher(Stage.PUBLISHER);
    Bundle bundle = publisher.publish(LabHome.dist().resolve("apps/media-relay.jar"));
    Map<String, String> properties = new TreeMap<>();
    properties.put("secret", SECRET);
    properties.put("tls-keys", ServerKeys.make(testbed, "server"));
    properties.put("tls-password", ServerKeys.PASSWORD);
    properties.put("node", "192.0.2.1 198.51.100.1 203.0.113.1 2001:db8:3::1");
    Wait.until(
        "the node to start containers",
        PATIENCE,
        () -> {
          try (NodeClient node = testbed.client("node")) {
            NodeClient.Answer answer =
                node.ncm(
                    publisher.setup(
                        bundle, stage.server(false), stage.server(false), Map.of(), properties));
            if (!answer.running() && answer.status() != 503) {
              throw new LabException("refused: " + answer);
            }
            return answer.running();
          }
        });
  }
}
