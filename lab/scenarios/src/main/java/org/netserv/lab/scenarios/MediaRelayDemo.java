// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.Coturn;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.ProviderDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.base.TimeChart;
import org.netserv.lab.testbed.base.Wait;

/**
 * Shows a SIP provider's gain by the Media Relay. Two of its users who are near each other call by
 * its own relay, a coturn beside its server far away. {@code netserv provider} deploys the module
 * when one of them registers, and the answer to the next REGISTER names the relay at the edge. sipp
 * registers and makes the calls, and all RTP packets are checked.
 */
final class MediaRelayDemo implements Demos.Play {
  private static final String SERVER = "192.0.2.10";
  private static final String CALLER = "10.9.0.10";
  private static final String CALLEE = "203.0.113.10";
  private static final String CALLEE_NAME = "callee";
  private static final String SECRET = "lab-secret";
  private static final int TURN = 3478;
  private static final int SIP = 5080;
  private static final int RTP = 4000;
  private static final int PER_SECOND = 50;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final double LOST_MOST = 0.01;

  /** Packets over the long link that a call without RTP there may need, of those with it. */
  private static final double LEFT_MOST = 0.1;

  private static final String TRIP = "round trip of the sound, ms";
  private static final String LONG = "packets/s over the long link";
  private static final Pattern HANDED =
      Pattern.compile("relay: *turn:([0-9.]+):3478;username=\".+\";credential=\".+\"");
  private static final Pattern PING = Pattern.compile("= [0-9.]+/([0-9.]+)/");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final int packets;
  private final TimeChart chart =
      new TimeChart("Two calls between neighbours, their provider 25 ms away");
  private Testbed testbed;
  private Step step;
  private Report report;
  private int second;
  private int registrations;

  /** A call, and the packets over the long link while it lasted. */
  private record Phase(RelayedCall.Result call, long longLink) {}

  MediaRelayDemo(boolean quick) {
    packets = (quick ? 4 : 15) * PER_SECOND;
  }

  @Override
  public String name() {
    return "media-relay";
  }

  @Override
  public String topology() {
    return "far-relay";
  }

  @Override
  public String users(String node) {
    return "nat";
  }

  @Override
  public TimeChart chart() {
    return chart;
  }

  @Override
  public boolean play(Testbed bed, Step steps, Report theReport) throws IOException {
    testbed = bed;
    step = steps;
    report = theReport;
    RelayCall.symmetric(bed);
    Tool coturn = Coturn.start(bed, "server", SERVER, TURN, SECRET);
    Tool callee = new CalledAgents(bed, "peer", CALLEE, SERVER).mediaAgent(CALLEE_NAME, SIP, RTP);
    Wait.pause(2000);
    double direct = direct();
    step.begin("netserv provider beside Kamailio, a caller who registers, its first call");
    try (ProviderDaemon daemon = provider()) {
      daemon.start();
      handed(host -> !host.isEmpty());
      Phase far = call("far", SERVER, "the provider's relay");
      step.begin("the caller registers again and calls again");
      String then = handed(host -> !host.isEmpty() && !host.equals(SERVER));
      Phase edge = call("edge", then, "the edge's relay");
      show(direct, far, edge);
      return good(far, edge);
    } finally {
      coturn.process().destroy();
      callee.process().destroy();
    }
  }

  /** Returns the milliseconds of a round trip from the caller to the callee without a relay. */
  private double direct() throws IOException {
    String said = testbed.run("caller", "ping", "-n", "-q", "-c", "10", "-i", "0.2", CALLEE);
    Matcher mean = PING.matcher(said);
    if (!mean.find()) {
      throw new LabException("ping: " + said);
    }
    return Double.parseDouble(mean.group(1));
  }

  private Phase call(String name, String turn, String mark) throws IOException {
    chart.mark(second, mark);
    int from = second;
    long before = longLink();
    RelayedCall.Result result =
        new RelayedCall(testbed, name, packets)
            .make(turn, SECRET, SERVER, CALLEE_NAME, CALLEE, RTP, this::second);
    long passed = longLink() - before;
    for (RelayedCall.Second one : result.seconds()) {
      chart.add(TRIP, from + one.second(), one.micros() / 1000.0);
    }
    return new Phase(result, passed);
  }

  /** Lets a second pass and charts it. */
  private void second() throws IOException {
    long before = longLink();
    Wait.pause(1000);
    chart.add(LONG, second++, (double) longLink() - before);
  }

  /** Returns the packets that the server's interface has sent and received. */
  private long longLink() throws IOException {
    JsonNode stats =
        JSON.readTree(testbed.run("server", "ip", "-s", "-j", "link", "show", "dev", "eth0"))
            .path(0)
            .path("stats64");
    return stats.path("rx").path("packets").asLong() + stats.path("tx").path("packets").asLong();
  }

  /** Writes the provider's settings: the module, and coturn as its own relay. */
  private ProviderDaemon provider() throws IOException {
    LabPublisher publisher = testbed.publisher(Stage.PUBLISHER);
    Bundle bundle = publisher.publish(LabHome.dist().resolve("apps/media-relay.jar"));
    String id;
    try (NodeClient node = testbed.client("node")) {
      id = node.status().path("nodeId").asText();
    }
    ProviderDaemon daemon = ProviderDaemon.prepare(testbed, "server", publisher, List.of(id));
    Path secret = daemon.directory().resolve("turn.secret");
    Files.writeString(secret, SECRET);
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    daemon.section(
        """
        path: {check: 5, retry: 5, budget: 60}
        media-relay:
          module:
            bundle: %s
            url: http://%s/%s
            ttl: 600
            properties: {node: "192.0.2.1 198.51.101.1 203.0.113.1"}
          secret: turn.secret
          own: %s:%d
        """
            .formatted(
                testbed.state().resolve("bundles").resolve(bundle.file()),
                SERVER,
                bundle.file(),
                SERVER,
                TURN));
    return daemon;
  }

  /**
   * Has the caller register until the relay in the answer is a wanted one, and returns its host.
   */
  private String handed(Predicate<String> wanted) throws IOException {
    String[] host = {""};
    Wait.until(
        "a relay for the caller",
        PATIENCE,
        () -> {
          host[0] = register();
          return wanted.test(host[0]);
        });
    report.out().println("  the answer to REGISTER: turn:" + host[0] + ":" + TURN);
    return host[0];
  }

  /** Has the caller register once. Returns the host of the relay in the answer, or nothing. */
  private String register() throws IOException {
    String name = "register-" + ++registrations;
    Path log = testbed.state().resolve(name + ".log");
    Path scenario =
        CalledAgents.filled(
            "sipp/register.xml", testbed.state().resolve(name + ".xml"), Map.of("NAME", "caller"));
    testbed.run(
        "caller",
        "timeout",
        "10",
        "sipp",
        "-t",
        "u1",
        "-sf",
        scenario.toString(),
        "-i",
        CALLER,
        "-p",
        "5070",
        "-m",
        "1",
        "-nostdin",
        "-trace_logs",
        "-log_file",
        log.toString(),
        SERVER + ":5060");
    Matcher handed = HANDED.matcher(Files.readString(log));
    return handed.find() ? handed.group(1) : "";
  }

  private void show(double direct, Phase far, Phase edge) throws IOException {
    ResultTable table = new ResultTable("", "the provider's relay", "the edge's relay");
    table.row("round trip p50, ms", millis(far, "median"), millis(edge, "median"));
    table.row("round trip p99, ms", millis(far, "tail"), millis(edge, "tail"));
    table.row("of it by the relay, p50, ms", added(far, direct), added(edge, direct));
    table.row("RTP packets sent", far.call().of("sent"), edge.call().of("sent"));
    table.row("lost there or back", lost(far), lost(edge));
    table.row("changed", far.call().of("wrong"), edge.call().of("wrong"));
    table.row("packets over the long link", far.longLink(), edge.longLink());
    table.row("call", completed(far), completed(edge));
    report.show(table);
    report.out().printf(Locale.ROOT, "%n  without a relay a round trip is %.2f ms%n", direct);
  }

  private static String completed(Phase phase) {
    return phase.call().completed() ? "completed" : "FAILED";
  }

  private static long lost(Phase phase) throws IOException {
    return phase.call().of("sent") - phase.call().of("back");
  }

  private static String millis(Phase phase, String name) throws IOException {
    return String.format(Locale.ROOT, "%.2f", phase.call().of(name) / 1000.0);
  }

  private static String added(Phase phase, double direct) throws IOException {
    return String.format(Locale.ROOT, "%.2f", phase.call().of("median") / 1000.0 - direct);
  }

  private static boolean good(Phase far, Phase edge) throws IOException {
    return far.call().completed()
        && edge.call().completed()
        && edge.call().of("wrong") == 0
        && far.call().of("wrong") == 0
        && lost(edge) <= LOST_MOST * edge.call().of("sent")
        && edge.call().of("median") < far.call().of("median")
        && edge.longLink() <= LEFT_MOST * far.longLink();
  }
}
