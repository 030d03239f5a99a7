// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.netserv.netmonitor.report.MonitorReport;
import org.netserv.netmonitor.report.MonitorRow;
import org.netserv.packet.Flow;
import org.netserv.packet.Flows;
import org.netserv.values.AllocatedBytes;

/** The kernel in the module's place: a list of counts that this test writes. */
class KernelCountsTest {
  /** One count; {@code ports} are both of them. */
  record Count(
      int place, int family, int ttl, long source, long destination, int ports, long packets)
      implements Flow {
    @Override
    public State state() {
      return State.COUNTED;
    }

    @Override
    public int protocol() {
      return 17;
    }

    @Override
    public long sourceHigh() {
      return 0;
    }

    @Override
    public long sourceLow() {
      return source;
    }

    @Override
    public long destinationHigh() {
      return 0;
    }

    @Override
    public long destinationLow() {
      return destination;
    }

    @Override
    public int sourcePort() {
      return ports;
    }

    @Override
    public int destinationPort() {
      return ports;
    }

    @Override
    public long bytes() {
      return 100 * packets;
    }

    @Override
    public long lastMicros() {
      return 1;
    }
  }

  private final List<Count> there = new ArrayList<>();
  private final FlowTable table = new FlowTable(64);

  private final Flows flows =
      new Flows() {
        @Override
        public List<String> features() {
          return List.of("tc");
        }

        @Override
        public void flows(Consumer<? super Flow> visitor) {}

        @Override
        public void counts(Consumer<? super Flow> visitor) {
          there.forEach(visitor);
        }
      };

  private void says(Count... counts) {
    there.clear();
    there.addAll(List.of(counts));
  }

  private List<MonitorRow> changed() {
    List<MonitorRow> rows = new ArrayList<>();
    table.changed(rows::add);
    return rows;
  }

  private static List<ByteBuffer> report(Counts counts) {
    List<ByteBuffer> datagrams = new ArrayList<>();
    Clock clock = Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);
    List<MonitorRow> rows = new ArrayList<>();
    counts.changed(rows::add);
    new ReportSender(MonitorSettings.of(Map.of()), new Outlet(datagrams::add), clock)
        .report(rows, counts.totals(0));
    return datagrams;
  }

  @Test
  void aReportIsTheSameWhoeverCounts() {
    FlowTable own = new FlowTable(64);
    for (int i = 0; i < 5; i++) {
      own.count(4, 64, 0, 1, 0, 2, 1, 100);
      own.count(6, 9, 0, 3, 0, 4, 1, 100);
    }
    KernelCounts kernel = new KernelCounts(flows, table);
    says(new Count(0, 4, 64, 1, 2, 0, 2));
    kernel.look();
    says(new Count(0, 4, 64, 1, 2, 0, 5), new Count(700, 6, 9, 3, 4, 0, 5));
    kernel.look();
    kernel.look();
    assertEquals(
        report(new Counts(own, new FlowTable(1))), report(new Counts(new FlowTable(64), table)));
  }

  @Test
  void finerCountsAreOneRow() {
    KernelCounts kernel = new KernelCounts(flows, table);
    says(new Count(0, 4, 64, 1, 2, 5, 2), new Count(1, 4, 64, 1, 2, 6, 3));
    kernel.look();
    assertEquals(List.of(new MonitorRow(4, 64, 0, 1, 0, 2, 5, 500)), changed());
  }

  @Test
  void whatWasThereBeforeIsNotOurs() {
    says(new Count(0, 4, 64, 1, 2, 0, 7));
    KernelCounts kernel = new KernelCounts(flows, table);
    kernel.look();
    assertEquals(List.of(), changed());
    says(new Count(0, 4, 64, 1, 2, 0, 9));
    kernel.look();
    assertEquals(List.of(new MonitorRow(4, 64, 0, 1, 0, 2, 2, 200)), changed());
  }

  @Test
  void countsThatBeginAnewGoOn() {
    KernelCounts kernel = new KernelCounts(flows, table);
    says(new Count(0, 4, 64, 1, 2, 0, 7));
    kernel.look();
    says(new Count(0, 4, 64, 1, 2, 0, 3)); // the same key, from 0
    kernel.look();
    says(new Count(0, 4, 64, 8, 9, 0, 5)); // its place is another's
    kernel.look();
    assertEquals(new MonitorReport.Totals(15, 1500, 0, 0, 0), table.totals(0));
    assertEquals(10, changed().stream().filter(r -> r.sourceLow() == 1).findAny().get().packets());
  }

  @Test
  void oneThatIsLeftOutForAMomentIsNotCountedTwice() {
    KernelCounts kernel = new KernelCounts(flows, table);
    says(new Count(0, 4, 64, 1, 2, 0, 7));
    kernel.look();
    says();
    kernel.look();
    says(new Count(0, 4, 64, 1, 2, 0, 8));
    kernel.look();
    assertEquals(8, table.totals(0).packets());
  }

  @Test
  void whatFoundNoPlaceIsOther() {
    KernelCounts kernel = new KernelCounts(flows, table);
    says(new Count(4095, 0, 0, 0, 0, 0, 3));
    kernel.look();
    assertEquals(List.of(), changed());
    assertEquals(new MonitorReport.Totals(3, 300, 3, 300, 0), table.totals(0));
  }

  @Test
  void aRowThatBothCountIsTheirSum() {
    FlowTable own = new FlowTable(64);
    own.count(4, 64, 0, 1, 0, 2, 1, 100);
    table.count(4, 64, 0, 1, 0, 2, 2, 200);
    table.count(6, 64, 0, 1, 0, 2, 4, 400);
    List<MonitorRow> rows = new ArrayList<>();
    Counts counts = new Counts(own, table);
    counts.changed(rows::add);
    rows.clear();
    own.count(4, 64, 0, 1, 0, 2, 1, 100);
    counts.changed(rows::add);
    assertEquals(List.of(new MonitorRow(4, 64, 0, 1, 0, 2, 4, 400)), rows);
    assertEquals(new MonitorReport.Totals(8, 800, 0, 0, 0), counts.totals(0));
  }

  @Test
  void aLookAllocatesNothing() {
    KernelCounts kernel = new KernelCounts(flows, table);
    says(new Count(3000, 4, 64, 1, 2, 0, 7));
    Runnable looks =
        () -> {
          for (int i = 0; i < 10_000; i++) {
            kernel.look();
          }
        };
    looks.run();
    assertEquals(0, AllocatedBytes.least(looks));
  }
}
