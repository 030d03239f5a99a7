// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.netserv.lab.LabHome;
import org.netserv.lab.Table;
import org.netserv.lab.Tool;
import org.netserv.lab.Wait;
import org.netserv.lab.tool.UdpSource;

/**
 * NetMonitor counts what passes and reports it, out of its container, to the collector that the
 * policy lets it reach: {@code netserv top}, in the server's place, shows every packet.
 */
public final class Monitor implements Scenario {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PACKETS = 3_000;
  private static final int RATE = 1_000;
  private static final int PORT = 9;
  private static final int COLLECTOR = 5678;

  @Override
  public String topology() {
    return "monitor";
  }

  @Override
  public boolean play(Stage stage) throws IOException {
    String server = stage.server(false).getHostAddress();
    stage.step("start the collector: netserv top on " + server);
    List<String> top =
        List.of(
            LabHome.home().resolve("netserv").toString(),
            "top",
            "--json",
            "--listen",
            server + ":" + COLLECTOR);
    Tool.start(stage.testbed(), "server", "top", top);
    stage.step("deploy the monitor");
    stage.deploy(
        LabHome.dist().resolve("apps/netmonitor.jar"),
        PORT,
        Map.of("visualizer_ip", server, "visualizer_port", String.valueOf(COLLECTOR)));
    stage.step("send " + PACKETS + " datagrams past it");
    Tool.start(stage.testbed(), "user", "stream", UdpSource.class, server, PORT, RATE, PACKETS)
        .result(30);
    Path log = stage.testbed().log("server", "top");
    Wait.until(
        "the collector to show " + PACKETS + " packets",
        Duration.ofSeconds(30),
        () -> last(log).path("packets").asLong() >= PACKETS);
    JsonNode report = last(log);
    JsonNode flow = report.path("flows").path(0);
    Table table = new Table("source", "destination", "TTL", "sent", "shown");
    table.row(
        flow.path("source").asText(),
        flow.path("destination").asText(),
        flow.path("ttl").asText(),
        PACKETS,
        flow.path("packets").asText());
    stage.show(table);
    return flow.path("packets").asLong() == PACKETS
        && flow.path("destination").asText().equals(server)
        && report.path("refused").asLong() == 0;
  }

  /** The last whole report; the one being written may be cut short. */
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
