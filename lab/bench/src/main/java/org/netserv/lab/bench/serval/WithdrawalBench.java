// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.netserv.lab.bench.Conversation;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.VethCard;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.ResultTable;
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
final class WithdrawalBench {
  private static final String HOST = "host";
  private static final String OWN = "10.1.0.10";
  private static final String ASKING = "10.1.0.11";
  private static final int PORT = 54325;
  private static final int WITHDRAWALS = 100;

  /** Services that stay registered meanwhile. */
  private static final int OTHERS = 35;

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

  private final PartRun run;
  private final Testbed testbed;

  private WithdrawalBench(PartRun run) {
    this.run = run;
    this.testbed = run.testbed();
  }

  static void measure(PartRun run) throws IOException {
    new WithdrawalBench(run).measure();
  }

  private void measure() throws IOException {
    run.step().begin("SETUP of three service routers");
    VethCard.of(testbed, HOST).addsChecksums().takesRedirected();
    new VethCard(testbed, Router.MIDDLE.node(), "down").takesRedirected();
    new VethCard(testbed, Router.MIDDLE.node(), "up").takesRedirected();
    PublishedApp last = null;
    for (Router router : Router.values()) {
      last =
          PublishedApp.start(testbed, router.node(), "service-router", HOST, router.properties());
    }
    PublishedApp lastRouter = last;
    int withdrawals = run.plan().of(WITHDRAWALS, WITHDRAWALS / 5);
    Map<Integer, Double> withdrawn = new HashMap<>();
    long rules;
    Capture capture = capture();
    try (Conversation host = host()) {
      run.step().begin("warm-up");
      host.ask("round");
      Wait.until("all rules at the last router", PATIENCE, () -> lastRouter.rules() >= OTHERS);
      for (int i = 1; i <= withdrawals; i++) {
        if (i % STEP == 1) {
          run.step().begin("withdrawal " + i + " of " + withdrawals);
        }
        Map<String, Double> round = host.ask("round");
        withdrawn.put(round.get("service").intValue(), round.get("withdrawn"));
      }
      rules = lastRouter.rules();
    }
    show(millis(capture.frames(), withdrawn), rules);
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
        OTHERS);
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

  private void show(Figures millis, long rules) {
    ResultTable table =
        new ResultTable("withdrawn over three routers", "n", "p50, ms", "p99", "worst", "rules");
    table.row(
        "last one's kernel",
        millis.count(),
        text(millis.median()),
        text(millis.percentile(99)),
        text(millis.percentile(100)),
        rules);
    run.report().show(table);
    run.goals().put(Goal.WITHDRAWN, millis);
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
