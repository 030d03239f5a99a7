// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.bench.FigureTable;
import org.netserv.lab.bench.serval.NamedHosts.Transfer;
import org.netserv.lab.bench.serval.NamedHosts.Way;

/**
 * Measures the rate of programs by name beside plain TCP on a link of 1 Gb/s, in turn and with each
 * congestion control. The encapsulated form has fewer data in a packet of 1,500 bytes than TCP. So
 * its rate is compared twice: as data, and with all headers, as the part of the link that it fills.
 */
final class LinkBench {
  private static final String RATE = "tbf rate 1gbit burst 256kb latency 20ms";
  private static final List<Way> WAYS = List.of(Way.PLAIN, Way.ENCAPSULATED, Way.NATIVE);
  private static final String DATA = ", data";
  private static final String FILLED = ", with headers";

  private final PartRun run;
  private final FigureTable figures = new FigureTable();
  private final FigureTable ratios = new FigureTable();

  private LinkBench(PartRun run) {
    this.run = run;
  }

  static void measure(PartRun run) throws IOException {
    new LinkBench(run).measure();
  }

  private void measure() throws IOException {
    NamedHosts hosts = NamedHosts.start(run.testbed());
    for (String host : List.of(NamedHosts.CLIENT, NamedHosts.SERVER)) {
      String limit = "tc qdisc replace dev " + NamedHosts.NAMED_LINK + " root " + RATE;
      run.testbed().run(host, limit.split(" ", -1));
    }
    for (int round = 1; round <= run.plan().rounds(); round++) {
      run.begin(round);
      for (String control : NamedHosts.CONTROLS) {
        round(hosts, control);
      }
    }
    run.report().show(figures.table());
    for (String control : NamedHosts.CONTROLS) {
      put(Goal.NATIVE_LINK, Way.NATIVE.text + DATA, control);
      put(Goal.ENCAPSULATED_LINK, Way.ENCAPSULATED.text + FILLED, control);
      put(Goal.ENCAPSULATED_LINK_DATA, Way.ENCAPSULATED.text + DATA, control);
    }
  }

  private void round(NamedHosts hosts, String control) throws IOException {
    Map<Way, Transfer> transfers = new EnumMap<>(Way.class);
    for (Way way : WAYS) {
      Transfer transfer = hosts.transfer(way, control, 1, run.plan().of(2, 1));
      transfers.put(way, transfer);
      figures.of(way.text, "Mb/s, " + control).add(transfer.megabits());
      figures.of(way.text, "bytes of data in a full packet").add(transfer.segment());
    }
    Transfer plain = transfers.get(Way.PLAIN);
    transfers.forEach(
        (way, transfer) -> {
          double data = transfer.megabits() / plain.megabits();
          ratios.of(way.text + DATA, control).add(data);
          ratios.of(way.text + FILLED, control).add(data * plain.segment() / transfer.segment());
        });
  }

  private void put(Goal goal, String what, String control) {
    run.goals().put(goal, control, ratios.of(what, control));
  }
}
