// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.netserv.netmonitor.report.MonitorReport;
import org.netserv.netmonitor.report.MonitorRow;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.packet.Verdict;
import org.netserv.values.AllocatedBytes;

class NetMonitorTest {
  private static final MonitorSettings SETTINGS = MonitorSettings.of(Map.of("node", "n1"));

  private static List<MonitorRow> changed(FlowTable table) {
    List<MonitorRow> rows = new ArrayList<>();
    table.changed(rows::add);
    return rows;
  }

  @Test
  void countsBySourceDestinationAndTtlAndReportsOnlyChanges() {
    FlowTable table = new FlowTable(64);
    table.count(4, 64, 0, 1, 0, 2, 1, 100);
    table.count(4, 64, 0, 1, 0, 2, 1, 50);
    table.count(4, 63, 0, 1, 0, 2, 1, 10);
    table.count(6, 64, 0, 1, 0, 2, 1, 10);
    table.count(4, 64, 0, 2, 0, 1, 1, 10);
    List<MonitorRow> rows = changed(table);
    assertEquals(4, rows.size());
    assertTrue(rows.contains(new MonitorRow(4, 64, 0, 1, 0, 2, 2, 150)));
    assertEquals(List.of(), changed(table));
    table.count(4, 64, 0, 1, 0, 2, 1, 1);
    assertEquals(List.of(new MonitorRow(4, 64, 0, 1, 0, 2, 3, 151)), changed(table));
    assertEquals(new MonitorReport.Totals(6, 181, 0, 0, 0), table.totals(0));
  }

  @Test
  void whatFindsNoRowIsCountedAsOther() {
    FlowTable table = new FlowTable(64);
    for (int i = 0; i < 200; i++) {
      table.count(4, 64, 0, i, 0, 2, 1, 10);
    }
    int rows = changed(table).size();
    assertTrue(rows <= 64 && rows > 32);
    assertEquals(
        new MonitorReport.Totals(200, 2000, 200 - rows, 10L * (200 - rows), 0), table.totals(0));
  }

  @Test
  void everyPacketPassesUntouchedSamplesToo() throws IOException {
    NetMonitor monitor = new NetMonitor(Map.of(), null);
    Packet packet = Packets.udp6("2001:db8::1", 1, "2001:db8::2", 2, new byte[9]);
    byte[] before = packet.toBytes();
    assertEquals(Verdict.PASS, monitor.process(packet, Packets.decision(packet)).verdict());
    Packet sample = Packets.sample(packet);
    assertEquals(Verdict.PASS, monitor.process(sample, Packets.decision(sample)).verdict());
    monitor.warmUp(packet, Packets.decision(packet));
    assertArrayEquals(before, packet.toBytes());
    assertEquals(new MonitorReport.Totals(2, 114, 0, 0, 0), monitor.totals());
    monitor.deactivate();
  }

  @Test
  void anUnreachableCollectorIsCountedAndTriedAgain() throws Exception {
    FlowTable table = new FlowTable(64);
    List<ByteBuffer> sent = new ArrayList<>();
    boolean[] reachable = {false};
    Outlet outlet =
        new Outlet(
            datagram -> {
              if (!reachable[0]) {
                throw new IOException("no route");
              }
              sent.add(datagram);
            });
    ReportSender sender = new ReportSender(SETTINGS, outlet, Clock.systemUTC());
    sender.report(List.of(), table.totals(0));
    sender.report(List.of(), table.totals(0));
    assertEquals(2, outlet.failed());
    reachable[0] = true;
    sender.report(List.of(), table.totals(outlet.failed()));
    MonitorReport report = MonitorReport.decode(sent.get(0));
    assertEquals(2, report.sequence());
    assertEquals(2, report.totals().failed());
    assertEquals("n1", report.node());
    assertEquals(NetMonitor.PID, report.module());
  }

  /** Ends when the counts have arrived; every half second brings another chance. */
  @Test
  void pushesToTheCollector() throws Exception {
    try (DatagramSocket collector = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      collector.setSoTimeout(30_000);
      NetMonitor monitor =
          new NetMonitor(
              Map.of(
                  "visualizer_ip",
                  "127.0.0.1",
                  "visualizer_port",
                  Integer.toString(collector.getLocalPort())),
              null);
      Packet packet = Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, new byte[2]);
      monitor.process(packet, Packets.decision(packet));
      DatagramPacket datagram = new DatagramPacket(new byte[2000], 2000);
      MonitorReport report;
      do {
        collector.receive(datagram);
        report = MonitorReport.decode(ByteBuffer.wrap(datagram.getData(), 0, datagram.getLength()));
      } while (report.rows().isEmpty());
      assertEquals(30, report.rows().get(0).bytes());
      assertEquals("192.0.2.1", report.rows().get(0).source().getHostAddress());
      monitor.deactivate();
    }
  }

  /**
   * Checks that a reader beside the writer never sees a row with incomplete addresses, or more
   * packets than were counted.
   */
  @Test
  void readingWhileCountingSeesWholeRows() throws Exception {
    FlowTable table = new FlowTable(1 << 12);
    int packets = 500_000;
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; i < packets; i++) {
                long flow = i % 2000 + 1L;
                table.count(6, 9, flow, flow, flow, flow, 1, 1);
              }
            });
    writer.start();
    Map<Long, Long> last = new HashMap<>();
    boolean running = true;
    while (running) {
      running = writer.isAlive();
      for (MonitorRow row : changed(table)) {
        assertTrue(row.sourceHigh() > 0 && row.sourceHigh() == row.sourceLow());
        assertTrue(
            row.destinationHigh() == row.sourceLow() && row.destinationLow() == row.sourceLow());
        assertTrue(row.packets() > last.getOrDefault(row.sourceLow(), 0L));
        last.put(row.sourceLow(), row.packets());
      }
    }
    long seen = last.values().stream().mapToLong(Long::longValue).sum();
    assertEquals(packets, seen + table.totals(0).otherPackets());
  }

  @Test
  void processAllocatesNothing() throws IOException {
    NetMonitor monitor = new NetMonitor(Map.of("max-rows", "64"), null);
    Packet packet = Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, new byte[2]);
    Decision decision = Packets.decision(packet);
    repeat(monitor, packet, decision, 50_000);
    assertEquals(0, AllocatedBytes.least(() -> repeat(monitor, packet, decision, 1_000_000)));
  }

  private static void repeat(NetMonitor monitor, Packet packet, Decision decision, int times) {
    for (int i = 0; i < times; i++) {
      packet.setSource4(i);
      monitor.process(packet, decision);
    }
  }

  @Test
  void wrongPropertiesAreNamed() {
    for (String[] pair :
        new String[][] {
          {"visualizer_ip", "host.example.com"}, {"visualizer_ip", "1.2.3.999"}, {"max-rows", "0"}
        }) {
      var thrown =
          assertThrows(
              IllegalArgumentException.class,
              () -> MonitorSettings.of(Map.of(pair[0], pair[1], "visualizer_port", "9")));
      assertTrue(thrown.getMessage().startsWith(pair[0] + ": "), thrown.getMessage());
    }
    var thrown =
        assertThrows(
            IllegalArgumentException.class,
            () -> MonitorSettings.of(Map.of("visualizer_ip", "1.2.3.4")));
    assertTrue(thrown.getMessage().startsWith("visualizer_port: "), thrown.getMessage());
  }
}
