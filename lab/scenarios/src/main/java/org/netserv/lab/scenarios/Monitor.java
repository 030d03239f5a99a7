// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.ncm.Header;

/**
 * Checks the reports of NetMonitor. The module reports from its container to the collector that the
 * policy lets it reach: {@code netserv top} in the server's place.
 *
 * <p>In the first round the module counts, and the collector must show every packet. In the second
 * round the kernel counts for the module. The module sees none of the packets, and the collector
 * must show the same. In the third round the kernel copies some packets for the module as they come
 * in, and the collector must show these.
 */
public final class Monitor implements Scenario {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PACKETS = 3_000;
  private static final int SAMPLES = PACKETS / 10;
  private static final int RATE = 1_000;
  private static final int PORT = 9;
  private static final int COLLECTOR = 5678;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ResultTable table =
      new ResultTable(
          "",
          "source",
          "destination",
          "TTL",
          "sent",
          "module saw",
          "kernel copied",
          "kernel counted",
          "shown");
  private Stage stage;
  private String server;

  @Override
  public String topology() {
    return "fast-path";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    server = stage.server(false).getHostAddress();
    JsonNode itself = report("module", COLLECTOR, Map.of(), new Seen(PACKETS, 0, 0));
    JsonNode kernel =
        report(
            "kernel",
            COLLECTOR + 1,
            Map.of(Header.FILTER_COUNT, "src,dst,ttl"),
            new Seen(0, 0, PACKETS));
    JsonNode samples =
        report(
            "samples",
            COLLECTOR + 2,
            Map.of(Header.FILTER_SAMPLE, "1/" + PACKETS / SAMPLES),
            new Seen(SAMPLES, SAMPLES, 0));
    stage.show(table);
    return !itself.isMissingNode() && itself.equals(kernel) && !samples.isMissingNode();
  }

  /**
   * Packets that went up to the module, that the kernel copied for it, and that the kernel counted
   * for it.
   */
  private record Seen(long saw, long copied, long counted) {
    long shown() {
      return saw + counted;
    }
  }

  /** Returns the flow as the collector shows it, or a missing node if anything is wrong. */
  private JsonNode report(String who, int port, Map<Header, String> headers, Seen wanted)
      throws IOException {
    stage.step("start a collector: netserv top on " + server + ":" + port);
    List<String> top =
        List.of(
            LabHome.home().resolve("netserv").toString(),
            "top",
            "--json",
            "--listen",
            server + ":" + port);
    Tool.start(stage.testbed(), "server", "top-" + who, top);
    stage.step("deploy the monitor: " + who);
    Bundle bundle =
        stage.deploy(
            LabHome.dist().resolve("apps/netmonitor.jar"),
            PORT,
            headers,
            Map.of("visualizer_ip", server, "visualizer_port", String.valueOf(port)));
    stage.step("send " + PACKETS + " datagrams past it");
    stage.datagrams(PORT, RATE, PACKETS).result(30);
    Path log = stage.testbed().log("server", "top-" + who);
    Wait.until(
        "the collector to show " + wanted.shown() + " packets",
        PATIENCE,
        () -> last(log).path("packets").asLong() >= wanted.shown());
    JsonNode report = last(log);
    JsonNode flow = report.path("flows").path(0);
    Seen seen =
        new Seen(
            Stage.counter(stage.counters(), "delivered"),
            Stage.counter(stage.counters(), "sampled"),
            Stage.counter(stage.counters(), "flows-counted-packets"));
    stage.remove(bundle);
    table.row(
        who,
        flow.path("source").asText(),
        flow.path("destination").asText(),
        flow.path("ttl").asText(),
        PACKETS,
        seen.saw(),
        seen.copied(),
        seen.counted(),
        flow.path("packets").asText());
    boolean right =
        seen.equals(wanted)
            && flow.path("packets").asLong() == wanted.shown()
            && flow.path("destination").asText().equals(server)
            && report.path("refused").asLong() == 0;
    return right ? flow : MissingNode.getInstance();
  }

  /** Returns the last whole report. The report that is being written may be cut short. */
  private static JsonNode last(Path log) throws IOException {
    JsonNode last = JSON.createObjectNode();
    try (MappingIterator<JsonNode> reports =
        JSON.readerFor(JsonNode.class).readValues(log.toFile())) {
      while (reports.hasNextValue()) {
        last = reports.nextValue();
      }
    } catch (JsonProcessingException e) {
      return last;
    }
    return last;
  }
}
