// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import org.netserv.netmonitor.report.MonitorReport;
import org.netserv.netmonitor.report.MonitorRow;
import org.netserv.netmonitor.report.ReportException;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "top",
    description = {
      "Collect the reports of NetMonitor modules and show the busiest flows.",
      "Set the module up with the properties visualizer_ip and visualizer_port naming this address."
    },
    footer = {"", "Example:  netserv top --listen 192.0.2.10:5678"})
final class TopCommand extends JsonCommand {
  private static final int ROWS_KEPT = 100_000;

  @Option(
      names = "--listen",
      paramLabel = "ADDRESS:PORT",
      defaultValue = "[::]:5678",
      description = "Where reports come in (default [::]:5678).")
  String listen;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "20",
      description = "Rows to show (default 20).")
  int rows;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "0",
      description = "Stop after N reports (default: never).")
  int count;

  private record Flow(String source, String destination, int ttl) {}

  private record Count(long packets, long bytes) {}

  private final Map<Flow, Count> flows = new HashMap<>();
  private long refused;

  @Override
  public Integer call() throws Exception {
    InetSocketAddress address = address();
    boolean six = address.getAddress() instanceof java.net.Inet6Address;
    try (DatagramChannel channel =
        DatagramChannel.open(six ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET)) {
      channel.bind(address);
      collect(channel);
    } catch (SocketTimeoutException e) {
      throw new CommandException(ExitCode.TIMEOUT, "no report came", e);
    } catch (IOException e) {
      throw new CommandException(ExitCode.USAGE, "--listen " + listen + ": " + e.getMessage(), e);
    }
    return ExitCode.DONE;
  }

  private void collect(DatagramChannel channel) throws IOException {
    ByteBuffer datagram = ByteBuffer.allocate(65_535);
    for (int reports = 0; count == 0 || reports < count; ) {
      channel.receive(datagram.clear());
      try {
        MonitorReport report = MonitorReport.decode(datagram.flip());
        add(report);
        if (report.part() == report.parts() - 1) {
          reports++;
          show(report);
        }
      } catch (ReportException e) {
        refused++;
      }
    }
  }

  /**
   * Adds the rows of a report. Keeps at most {@link #ROWS_KEPT} flows, so that strangers cannot
   * fill the memory through the port.
   */
  private void add(MonitorReport report) {
    for (MonitorRow row : report.rows()) {
      Flow flow =
          new Flow(row.source().getHostAddress(), row.destination().getHostAddress(), row.ttl());
      if (flows.size() < ROWS_KEPT || flows.containsKey(flow)) {
        flows.put(flow, new Count(row.packets(), row.bytes()));
      }
    }
  }

  private void show(MonitorReport report) {
    ObjectNode document = MAPPER.createObjectNode();
    document
        .put("node", report.node())
        .put("module", report.module())
        .put("report", report.sequence());
    document.put("packets", report.totals().packets()).put("bytes", report.totals().bytes());
    document.put("refused", refused);
    Table table = new Table("SOURCE", "DESTINATION", "TTL", "PACKETS", "BYTES");
    var list = document.putArray("flows");
    flows.entrySet().stream()
        .sorted(Comparator.comparingLong((Map.Entry<Flow, Count> e) -> -e.getValue().packets()))
        .limit(rows)
        .forEach(
            e -> {
              Flow flow = e.getKey();
              table.row(
                  flow.source(),
                  flow.destination(),
                  flow.ttl(),
                  e.getValue().packets(),
                  e.getValue().bytes());
              list.addObject()
                  .put("source", flow.source())
                  .put("destination", flow.destination())
                  .put("ttl", flow.ttl())
                  .put("packets", e.getValue().packets())
                  .put("bytes", e.getValue().bytes());
            });
    emit(
        document,
        () -> {
          out()
              .printf(
                  "%s on %s: %d packets, %d bytes (report %d, %d datagrams refused)%n",
                  Table.printable(report.module()),
                  Table.printable(report.node()),
                  report.totals().packets(),
                  report.totals().bytes(),
                  report.sequence(),
                  refused);
          table.print(out());
          out().println();
        });
  }

  private InetSocketAddress address() throws CommandException {
    int colon = listen.lastIndexOf(':');
    try {
      String host = listen.substring(0, Math.max(0, colon)).replaceAll("^\\[|\\]$", "");
      InetAddress address = Addresses.parse(host);
      return new InetSocketAddress(address, Integer.parseInt(listen.substring(colon + 1)));
    } catch (BadValueException | IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, "--listen: not ADDRESS:PORT: " + listen, e);
    }
  }
}
