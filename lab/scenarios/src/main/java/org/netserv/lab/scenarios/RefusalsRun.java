// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeClient.Answer;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.ncm.Header;

/**
 * Sends a node everything that it must refuse. The status and header must be right, and the node
 * must be as before, by {@link NodeImage}.
 */
public final class RefusalsRun implements Scenario {
  /** The filter that the publisher may have. */
  static final Map<Header, String> FILTER =
      Map.of(Header.FILTER_PORT, "5060", Header.FILTER_PROTO, "udp");

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int LONGEST_REASON = 72;

  private final ResultTable table = new ResultTable("attempt", "expected", "answer", "ms", "node");
  private Stage stage;
  private Testbed testbed;
  private NodeClient node;
  private int wrong;

  @Override
  public String topology() {
    return "refusals";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    InetAddress server = stage.server(false);
    LabPublisher publisher = testbed.publisher(Stage.PUBLISHER);
    LabPublisher other = testbed.publisher("other");
    LabPublisher stranger = testbed.publisher("stranger");
    BadBundles bundles = new BadBundles(publisher, LabHome.dist().resolve("apps/keepalive.jar"));
    try (NodeClient client = testbed.client("node")) {
      node = client;
      RefusedMessages messages = new RefusedMessages(node, publisher, bundles.good(), server);
      RefusedBundles setups = new RefusedBundles(testbed, node, publisher, bundles, server);
      RefusedBeside beside = new RefusedBeside(testbed, node, publisher, bundles, server);
      all("messages that do not read", messages.malformed());
      all("messages of others", messages.unauthentic(stranger));
      all("what the policy does not give", messages.unauthorised());
      all("more than the quota", List.of(messages.tooMany(other)));
      all("downloads", setups.downloads());
      all("bundles", setups.attacks(stranger, other));
      all("modules", setups.failures());
      all("two at once", List.of(beside.atOnce()));
      stage.step("run a module");
      NodeImage empty = image();
      beside.begin();
      all("beside a module that runs", beside.running(other));
      stage.step("remove it");
      beside.end();
      settle(empty).ifPresent(this::complain);
      all("after the REMOVE", List.of(beside.replayed("the SETUP of before, replayed")));
    }
    stage.show(table);
    return wrong == 0;
  }

  private void complain(String difference) {
    wrong++;
    stage.out().println("  WRONG: REMOVE left " + difference);
  }

  private void all(String what, List<RefusedAttempt> attempts) throws IOException {
    stage.step(what);
    for (RefusedAttempt attempt : attempts) {
      NodeImage before = image();
      long begin = System.nanoTime();
      Answer answer = attempt.deed().make();
      long millis = (System.nanoTime() - begin) / 1_000_000;
      Optional<String> left = settle(before);
      boolean expected = attempt.expects(answer);
      if (!expected || left.isPresent()) {
        wrong++;
      }
      stage.out().println("  " + (expected ? "" : "WRONG: ") + attempt.name() + ": " + cut(answer));
      left.ifPresent(difference -> stage.out().println("  WRONG: left behind: " + difference));
      table.row(
          attempt.name(),
          attempt.expected(),
          answer.status() + (answer.header().isEmpty() ? "" : " " + answer.header()),
          millis,
          (left.isPresent() ? "CHANGED" : "as before") + (expected ? "" : ", WRONG"));
    }
  }

  private static String cut(Answer answer) {
    String text = answer.toString().replace('\n', ' ');
    return text.length() > LONGEST_REASON ? text.substring(0, LONGEST_REASON) + "..." : text;
  }

  private NodeImage image() throws IOException {
    return NodeImage.take(testbed, "node", node);
  }

  /**
   * Waits until the node is as before, because undoing takes a moment. Returns the difference that
   * remains.
   */
  private Optional<String> settle(NodeImage before) throws IOException {
    try {
      Wait.until("the node to be as before", PATIENCE, () -> before.equals(image()));
      return Optional.empty();
    } catch (LabException e) {
      return before.difference(image());
    }
  }
}
