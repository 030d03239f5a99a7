// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.netserv.lab.bench.BenchTestbed;
import org.netserv.lab.bench.Conversation;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.VethCard;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.Capture;
import org.netserv.lab.testbed.tool.ServalWithdrawals;

/**
 * Measures the time in which a withdrawal goes over three service routers in a row, in containers,
 * each the parent of the one before. First and last have their rules in the kernel. A host
 * withdraws a service at the first one, and sends datagrams to the service by the last one each
 * millisecond. The time ends with the last datagram that the last router has sent on: packets there
 * are read at the middle one, because the first one drops them as soon as the service is withdrawn.
 */
public final class WithdrawalBench {
  private static final String TOPOLOGY = "serval-withdrawal";
  private static final String PUBLISHER = "sip";
  private static final String HOST = "host";
  private static final String OWN = "10.1.0.10";
  private static final String ASKING = "10.1.0.11";
  private static final int PORT = 54325;
  private static final double GOAL_MILLIS = 500;
  private static final int STEP = 50;

  /** Offset of the last 32 of the bits of a service's number, and a mask of the number. */
  private static final int SERVICE = 14 + 20 + 8 + 12 + 4 + 2;

  private static final int SERVICE_MASK = 0xffffff;
  private static final double MILLION = 1e6;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The routers in their order, and the addresses at which hosts and other routers reach them. */
  private enum Router {
    FIRST("10.1.0.1"),
    MIDDLE("10.2.0.2"),
    LAST("10.3.0.3");

    private final String address;

    Router(String address) {
      this.address = address;
    }

    private String node() {
      return name().toLowerCase(Locale.ROOT);
    }

    private String socket() {
      return address + ":" + PORT;
    }

    private Map<String, String> properties() {
      String life = "300";
      return switch (this) {
        case FIRST ->
            Map.of("registrations", "0000", "registered-seconds", life, "parents", MIDDLE.socket());
        case MIDDLE ->
            Map.of(
                "registrations",
                "0000",
                "registered-seconds",
                life,
                "routers",
                FIRST.socket(),
                "parents",
                LAST.socket());
        case LAST ->
            Map.of("registrations", "0000", "registered-seconds", life, "routers", MIDDLE.socket());
      };
    }
  }

  private final WithdrawalPlan plan;
  private final Report report;
  private final Step step;
  private final Testbed testbed;

  private WithdrawalBench(WithdrawalPlan plan, Report report, Step step, Testbed testbed) {
    this.plan = plan;
    this.report = report;
    this.step = step;
    this.testbed = testbed;
  }

  /** Measures, prints and judges. Returns 0 if the goal is met. */
  public static int run(WithdrawalPlan plan, Report report) {
    return BenchTestbed.measure(
        TOPOLOGY,
        report,
        (testbed, step) -> new WithdrawalBench(plan, report, step, testbed).measure());
  }

  private int measure() throws IOException {
    step.begin("SETUP of three service routers");
    VethCard.of(testbed, HOST).addsChecksums().takesRedirected();
    new VethCard(testbed, Router.MIDDLE.node(), "down").takesRedirected();
    new VethCard(testbed, Router.MIDDLE.node(), "up").takesRedirected();
    LabPublisher publisher = testbed.publisher(PUBLISHER);
    LabPublisher.Bundle bundle =
        publisher.publish(LabHome.dist().resolve("apps/service-router.jar"));
    for (Router router : Router.values()) {
      setUp(publisher, bundle, router);
    }
    Map<Integer, Double> withdrawn = new HashMap<>();
    long rules;
    Capture capture = capture();
    try (Conversation host = host()) {
      step.begin("warm-up");
      host.ask("round");
      Wait.until("all rules at the last router", PATIENCE, () -> rules() >= plan.others());
      for (int i = 1; i <= plan.withdrawals(); i++) {
        if (i % STEP == 1) {
          step.begin("withdrawal " + i + " of " + plan.withdrawals());
        }
        Map<String, Double> round = host.ask("round");
        withdrawn.put(round.get("service").intValue(), round.get("withdrawn"));
      }
      rules = rules();
    }
    return judge(millis(capture.frames(), withdrawn), rules);
  }

  private Conversation host() throws IOException {
    return Conversation.start(
        testbed,
        HOST,
        "withdrawals",
        ServalWithdrawals.class,
        OWN,
        ASKING,
        Router.FIRST.address,
        Router.LAST.address,
        PORT,
        plan.others());
  }

  private Capture capture() throws IOException {
    return Capture.start(
        testbed,
        Router.MIDDLE.node(),
        "up",
        testbed.unique("withdrawal"),
        "udp and src host %s and dst host %s and dst port %d"
            .formatted(Router.LAST.address, Router.MIDDLE.address, PORT));
  }

  /** Returns the time from each withdrawal to the last datagram that was sent on. */
  private static Figures millis(List<byte[]> frames, Map<Integer, Double> withdrawn)
      throws LabException {
    Map<Integer, Double> last = new HashMap<>();
    for (byte[] frame : frames) {
      ByteBuffer bytes = ByteBuffer.wrap(frame);
      if (frame.length > SERVICE + Integer.BYTES + Long.BYTES) {
        int service = bytes.getInt(SERVICE) & SERVICE_MASK;
        last.merge(service, (double) bytes.getLong(frame.length - Long.BYTES), Math::max);
      }
    }
    Figures millis = new Figures();
    for (Map.Entry<Integer, Double> each : withdrawn.entrySet()) {
      Double sent = last.get(each.getKey());
      if (sent == null) {
        throw new LabException("no datagram of service " + each.getKey() + " was read");
      }
      millis.add(Math.max(0, (sent - each.getValue()) / MILLION));
    }
    return millis;
  }

  private void setUp(LabPublisher publisher, LabPublisher.Bundle bundle, Router router)
      throws IOException {
    InetAddress host = testbed.topology().node(HOST).address(false).ip();
    try (NodeClient node = testbed.client(router.node())) {
      NodeClient.Answer answer =
          node.ncm(publisher.setup(bundle, host, host, Map.of(), router.properties()));
      if (!answer.running()) {
        throw new LabException("refused: " + answer);
      }
    }
  }

  /** Returns the rules that the kernel of the last router's node has. */
  private long rules() throws IOException {
    try (NodeClient node = testbed.client(Router.LAST.node())) {
      return node.counters(PUBLISHER).findPath("serval-rules").asLong(0);
    }
  }

  private int judge(Figures millis, long rules) {
    ResultTable table = new ResultTable("withdrawn over three routers", "n", "ms", "goal", "");
    boolean met = millis.percentile(99) <= GOAL_MILLIS;
    table.row("p50", millis.count(), text(millis.percentile(50)), "", "");
    table.row(
        "p99",
        millis.count(),
        text(millis.percentile(99)),
        "<= " + text(GOAL_MILLIS),
        met ? "ok" : "MISSED");
    table.row("worst", millis.count(), text(millis.percentile(100)), "", "");
    report.show(table);
    return report.verdict(
        met,
        String.format(
            Locale.ROOT,
            "a withdrawal over three routers takes %.1f ms (p99 %.1f), %d rules in the last one's"
                + " kernel.",
            millis.percentile(50),
            millis.percentile(99),
            rules));
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
