// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Sha256;
import org.netserv.lab.testbed.base.TimeChart;
import org.netserv.lab.testbed.base.Wait;

/**
 * Balances the load of a client's two interfaces, as in figure 9 of the paper. Two downloads by
 * name share one link until {@code netserv serval migrate} moves one of them to the other. Both end
 * whole, and curl's sockets keep their names.
 */
public final class ServalInterfaces implements Scenario {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String CLIENT = "client";
  private static final String ID = "00004001";
  private static final String SERVER = "192.0.2.10";
  private static final String URL = "http://web.serval/file";
  private static final String FIRST = "10.1.0.10";
  private static final String SECOND = "10.3.0.10";
  private static final String RATE = "tbf rate 40mbit burst 32kb latency 50ms";

  /** Megabits per second of a link. */
  private static final int LINK = 40;

  /** The same of the paper's links. */
  private static final int PAPER_LINK = 1000;

  private static final int FLOWS = 2;
  private static final int MEGABYTE = 1_000_000;
  private static final double MEGABIT = 125_000;

  /** Windows before and after the move, and the pauses beside it, in milliseconds. */
  private static final int WINDOW = 3000;

  private static final int PAUSE = 1000;
  private static final int SHORT = 500; // both, in the short form
  private static final int ONE_SECOND = 1000;

  /**
   * One of so many bytes of each download has come before the move. TCP may share a link 3 to 1 for
   * seconds, and neither download may be over then.
   */
  private static final int BEFORE = 3;

  private static final int SHORT_BEFORE = 15; // in the short form

  /** Percent of the moved flow's rest that has to come by its link: some is under way already. */
  private static final int MOST = 80;

  /** Percent of the bytes before the move that have to come in the same time after it. */
  private static final int GAIN = 160;

  private final ComparedRows rows = new ComparedRows("what");
  private final List<Download> downloads = new ArrayList<>();
  private final int bytes;
  private final boolean quick;
  private Stage stage;
  private Testbed testbed;
  private ServalNode client;
  private ServalNode server;
  private long begin;
  private long moved;

  private ServalInterfaces(boolean quick, int bytes) {
    this.quick = quick;
    this.bytes = bytes;
  }

  /** Returns downloads that take 12 s, of which the move is in the middle. */
  public static ServalInterfaces full() {
    return new ServalInterfaces(false, 45 * MEGABYTE);
  }

  public static ServalInterfaces quick() {
    return new ServalInterfaces(true, 15 * MEGABYTE);
  }

  @Override
  public String topology() {
    return "serval-mobile";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    stage.step("a server and a client with two links that speak Serval");
    String digest = Payload.write(testbed, bytes);
    links();
    server = ServalNode.up(testbed, "server", "eth0");
    server.order("register id=" + ID + " port=80");
    client = ServalNode.up(testbed, CLIENT, "one", "three");
    client.order("name name=web.serval id=" + ID);
    client.order("forward id=" + ID + " to=" + SERVER);
    try {
      play();
      for (int i = 0; i < FLOWS; i++) {
        rows.row("curl " + (i + 1) + ", exit status", 0, downloads.get(i).end());
        rows.row("curl " + (i + 1) + ", digest", digest, Sha256.of(file(i)));
      }
      judge();
    } finally {
      downloads.forEach(Download::close);
    }
    return rows.hold();
  }

  /** Shapes both links toward the client, and routes by the first one. */
  private void links() throws IOException {
    for (String link : List.of("a", "c")) {
      testbed.run("net", ("tc qdisc replace dev " + link + " root " + RATE).split(" ", -1));
    }
    testbed.run(CLIENT, "ip", "link", "set", "two", "down");
    String other = "ip route add default via 10.3.0.1 dev three metric 100";
    testbed.run(CLIENT, other.split(" ", -1));
  }

  private Path file(int number) {
    return testbed.state().resolve("got-" + number);
  }

  private void play() throws IOException {
    stage.step("two downloads by one link");
    begin = System.nanoTime();
    download();
    Wait.until("the first flow", PATIENCE, () -> newest(List.of()) != null);
    String staying = newest(List.of());
    download();
    for (Download download : downloads) {
      download.await(bytes / (quick ? SHORT_BEFORE : BEFORE));
    }
    String moving = newest(List.of(staying));
    String names = names();
    rows.row("connections before the move", FLOWS, names.lines().count());
    rows.row("flows by the first link", FLOWS, flows(FIRST));
    rows.row("bytes by the second link", "few", received() < MEGABYTE / 10 ? "few" : received());
    stage.step("netserv serval migrate moves one of them to the other link");
    client.netserv("migrate", moving, "--to", SECOND);
    Wait.until("the move", PATIENCE, () -> flows(SECOND) == 1);
    moved = System.nanoTime();
    long before = received();
    Download goes = downloads.get(1);
    long rest = bytes - goes.bytesAt(moved);
    rows.row("flows by the first link, moved", 1, flows(FIRST));
    // News of links and addresses do not lead the flow back.
    testbed.run(CLIENT, "ip", "address", "add", "10.99.0.1/32", "dev", "lo");
    goes.await(bytes - rest / 2);
    rows.row("flows by the second link, after news", 1, flows(SECOND));
    rows.row("names of the sockets", "same", names.equals(names()) ? "same" : "other");
    goes.end();
    long by = (received() - before) * 100 / Math.max(1, rest);
    rows.row("rest of the flow by the second link", "most", by >= MOST ? "most" : by + " %");
  }

  private void download() throws IOException {
    Path file = file(downloads.size());
    List<String> command = client.byName("exec curl -sS -m 60 -o " + file + " " + URL);
    downloads.add(Download.start(testbed, CLIENT, command, file));
  }

  /** Returns the number of an open flow of the client that is not among these, or null. */
  private String newest(List<String> known) throws IOException {
    for (JsonNode flow : client.view("flows").path("flows")) {
      String number = flow.path("flow").asText();
      if (flow.path("state").asText().equals("CONNECTED") && !known.contains(number)) {
        return number;
      }
    }
    return null;
  }

  /** Counts the open flows of the server to a client with this address. */
  private long flows(String address) throws IOException {
    long count = 0;
    for (JsonNode flow : server.view("flows").path("flows")) {
      boolean open = flow.path("state").asText().equals("CONNECTED");
      count += open && flow.path("peer").asText().startsWith(address + ":") ? 1 : 0;
    }
    return count;
  }

  /** Returns both ends of each connection, as the client's kernel has them. */
  private String names() throws IOException {
    String names = "ss -Htn state established | awk '{print $3, $4}' | sort";
    return testbed.run(CLIENT, "sh", "-c", names);
  }

  /** Returns the bytes that the client has received by the second link. */
  private long received() throws IOException {
    String link = testbed.run(CLIENT, "ip", "-s", "-j", "link", "show", "dev", "three");
    return JSON.readTree(link).path(0).path("stats64").path("rx").path("bytes").asLong();
  }

  // ---- rates

  private void judge() throws IOException {
    long pause = millis(quick ? SHORT : PAUSE);
    long before = moved - pause;
    long after = moved + pause;
    long window = millis(quick ? SHORT : WINDOW);
    ResultTable rates =
        new ResultTable("flow", "before, Mb/s", "after, Mb/s", "paper, before", "paper, after");
    double[] sums = new double[2];
    for (int i = 0; i < FLOWS; i++) {
      double then = rate(downloads.get(i), before - window, before);
      double now = rate(downloads.get(i), after, after + window);
      sums[0] += then;
      sums[1] += now;
      rates.row(i + 1, text(then), text(now), PAPER_LINK / FLOWS, PAPER_LINK);
    }
    rates.row("both", text(sums[0]), text(sums[1]), PAPER_LINK, FLOWS * PAPER_LINK);
    if (!quick) {
      String gain = sums[1] >= GAIN * sums[0] / 100 ? "more" : text(sums[1] / sums[0]);
      rows.row("bytes after the move, in the same time", "more", gain);
    }
    stage.show(rows.table());
    stage.show(rates);
    chart();
  }

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Returns the megabits per second of a download between two times. */
  private static double rate(Download download, long from, long to) {
    long came = download.bytesAt(to) - download.bytesAt(from);
    return came / MEGABIT / ((to - from) / (double) millis(ONE_SECOND));
  }

  private static String text(double number) {
    return String.format(Locale.ROOT, "%.1f", number);
  }

  private void chart() throws IOException {
    TimeChart chart = new TimeChart("two downloads by name, Mb/s; links of " + LINK + " Mb/s");
    long second = millis(ONE_SECOND);
    long end = Math.max(downloads.get(0).last(), downloads.get(1).last());
    int move = (int) ((moved - begin) / second);
    for (int i = 0; begin + i * second < end; i++) {
      for (int flow = 0; flow < FLOWS; flow++) {
        double rate = rate(downloads.get(flow), begin + i * second, begin + (i + 1) * second);
        chart.add("both", i, rate);
        chart.add("download " + (flow + 1), i, rate);
      }
      chart.add("the paper's, both", i, i < move ? PAPER_LINK : FLOWS * PAPER_LINK);
    }
    chart.mark(0, "one link");
    chart.mark(move, "two links");
    stage.out().println();
    stage.out().print(chart.text());
    stage.out().println("\n  chart: " + chart.write("serval-interfaces"));
  }
}
