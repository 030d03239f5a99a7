// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.netserv.netmonitor.report.MonitorReport;
import org.netserv.netmonitor.report.MonitorRow;
import org.netserv.packet.Decision;
import org.netserv.packet.Flows;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;

/**
 * Counts every packet, passes every packet, and reports each half second. With {@code
 * filter-count}, the kernel counts the packets and the module sees none of them. The reports are
 * the same. Collectors of IPFIX get flow records less often. {@link MonitorSettings} reads the
 * properties, which are set under the bundle's symbolic name. With new properties the module starts
 * anew.
 */
@Component(service = PktProcessor.class, configurationPid = NetMonitor.PID)
public final class NetMonitor implements PktProcessor {
  /** Name of the configuration. */
  public static final String PID = "NetServ.apps.NetMonitor";

  private static final long INTERVAL_MILLIS = 500;
  private static final String COUNTED = "counted";
  private static final int REHEARSAL_ROWS = 64;

  private final FlowTable table;
  private final Counts counts;
  private final KernelCounts kernel;
  private final FlowTable rehearsal = new FlowTable(REHEARSAL_ROWS);
  private final ScheduledExecutorService timer;
  private final DatagramChannel channel; // null = no collector
  private final List<Outlet> outlets = new ArrayList<>();
  private final ReportSender sender; // null = no collector of reports
  private final IpfixSender exporter; // null = no collector of flows

  /**
   * @param flows the kernel's counts; null = this container has no such service
   * @throws IllegalArgumentException naming the property that is wrong
   * @throws IOException when no socket can be had
   */
  @Activate
  public NetMonitor(
      Map<String, Object> properties,
      @Reference(cardinality = ReferenceCardinality.OPTIONAL) Flows flows)
      throws IOException {
    MonitorSettings settings = MonitorSettings.of(properties);
    boolean fast = flows != null && !flows.features().isEmpty();
    table = new FlowTable(settings.maxRows());
    counts = new Counts(table, new FlowTable(fast ? settings.maxRows() : 1));
    kernel = fast ? new KernelCounts(flows, counts.kernel()) : null;
    MonitorSettings.Ipfix ipfix = settings.ipfix();
    boolean silent = settings.collector() == null && ipfix == null;
    channel = silent ? null : DatagramChannel.open();
    Clock clock = Clock.systemUTC();
    sender =
        settings.collector() == null
            ? null
            : new ReportSender(settings, outlet(settings.collector()), clock);
    exporter = ipfix == null ? null : new IpfixSender(ipfix, outlet(ipfix.collector()), clock);
    timer = silent && kernel == null ? null : timer();
  }

  /**
   * Makes the way to a collector. The channel is not connected: a refusal by ICMP would come back
   * as a failure of a later, good datagram.
   */
  private Outlet outlet(InetSocketAddress to) {
    Outlet outlet = new Outlet(datagram -> channel.send(datagram, to));
    outlets.add(outlet);
    return outlet;
  }

  private ScheduledExecutorService timer() {
    ScheduledExecutorService executor =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "netmonitor-report");
              thread.setDaemon(true);
              return thread;
            });
    var unused =
        executor.scheduleAtFixedRate(
            this::tick, INTERVAL_MILLIS, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    return executor;
  }

  private void tick() {
    if (kernel != null) {
      kernel.look();
    }
    if (channel == null) {
      return;
    }
    List<MonitorRow> rows = new ArrayList<>();
    counts.changed(rows::add);
    MonitorReport.Totals totals = totals();
    if (sender != null) {
      sender.report(rows, totals);
    }
    if (exporter != null) {
      exporter.report(rows, totals);
    }
  }

  /** Stops reporting. The collector loses the counts of the last half second at most. */
  @Deactivate
  public void deactivate() throws IOException {
    if (timer != null) {
      timer.shutdownNow();
    }
    if (channel != null) {
      channel.close();
    }
  }

  @Override
  public Decision process(Packet packet, Decision decision) {
    count(packet, table);
    return decision.pass(COUNTED);
  }

  @Override
  public void warmUp(Packet packet, Decision decision) {
    count(packet, rehearsal);
  }

  private static void count(Packet packet, FlowTable target) {
    target.count(
        packet.family(),
        packet.ttl(),
        packet.sourceHigh(),
        packet.sourceLow(),
        packet.destinationHigh(),
        packet.destinationLow(),
        1,
        packet.length());
  }

  /** All counts since the start. From any thread. */
  public MonitorReport.Totals totals() {
    return counts.totals(outlets.stream().mapToLong(Outlet::failed).sum());
  }
}
