// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.netserv.lab.testbed.OriginDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.WebServer;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.base.TimeChart;
import org.netserv.lab.testbed.base.Wait;

/**
 * Shows a publisher's gain by ActiveCDN. A user far from the web server looks at an image and a
 * video, first by the web server alone. Then {@code netserv origin} starts beside the server's
 * nginx, deploys the module toward the user, and nginx sends the user to the edge. Another user,
 * who has no node near, is served by nginx in both phases.
 *
 * <p>curl measures, the kernel counts the bytes of the long link, and nginx the requests. No number
 * comes from the module or the node.
 */
final class ActiveCdnDemo implements Demos.Play {
  private static final String SERVER = "192.0.2.10";
  private static final String EDGE = "http://198.51.100.1/";
  private static final int EDGES_PORT = 8081;
  private static final int SEGMENTS = 8;
  private static final int SEGMENT_SECONDS = 4;
  private static final int LENGTH = SEGMENTS * SEGMENT_SECONDS;

  /** A picture of some 200 KB. */
  private static final String IMAGE =
      "ffmpeg -nostdin -loglevel error -f lavfi -i mandelbrot=size=1280x720 -frames:v 1 -q:v 2 %s";

  /** A video of 800 kb/s in segments of some 400 KB. Each begins with a key frame. */
  private static final String VIDEO =
      "ffmpeg -nostdin -loglevel error -f lavfi -i testsrc2=size=640x360:rate=25:duration=%d"
          + " -c:v libx264 -preset ultrafast -pix_fmt yuv420p -b:v 800k -minrate 800k -maxrate 800k"
          + " -bufsize 800k -x264-params nal-hrd=cbr -g 100 -keyint_min 100 -sc_threshold 0"
          + " -f hls -hls_time %d -hls_playlist_type vod -hls_segment_filename %s %s";

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Bytes over the long link with the edge, of those without it. */
  private static final double LEFT_MOST = 0.5;

  private static final String LINK = "MB/s over the long link";
  private static final String FIRST = "first byte of an object, ms";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final int views;
  private final TimeChart chart =
      new TimeChart("An image and a video, their web server 25 ms away");
  private Testbed testbed;
  private WebServer nginx;
  private int second;

  /** An object that a user got. */
  private record Got(String kind, double first, double whole, long bytes, boolean edge) {}

  /**
   * The views of a phase.
   *
   * @param sent bytes of the web server
   * @param asked requests of the edge at the web server
   */
  private record Phase(List<Got> got, List<Got> far, long sent, long asked) {
    double first(String kind) {
      List<Double> times =
          new ArrayList<>(got.stream().filter(o -> o.kind.equals(kind)).map(Got::first).toList());
      Collections.sort(times);
      return times.get(times.size() / 2);
    }

    long edges() {
      return got.stream().filter(Got::edge).count();
    }

    long bytes() {
      return got.stream().mapToLong(Got::bytes).sum();
    }
  }

  ActiveCdnDemo(boolean quick) {
    views = quick ? 3 : 8;
  }

  @Override
  public String name() {
    return "activecdn";
  }

  @Override
  public String topology() {
    return "origin-demo";
  }

  @Override
  public String users(String node) {
    return "user";
  }

  @Override
  public TimeChart chart() {
    return chart;
  }

  @Override
  public boolean play(Testbed bed, Step step, Report report) throws IOException {
    testbed = bed;
    nginx = new WebServer(bed, "server");
    content();
    OriginDaemon origin =
        OriginDaemon.prepare(
            bed,
            "server",
            bed.publisher(Stage.PUBLISHER),
            List.of("town", "street"),
            """
            path: {check: 5, retry: 5, budget: 60}
            edges: {near-km: 100, check-interval: 2}
            """);
    try (WebServer web = nginx;
        OriginDaemon daemon = origin) {
      web.start();
      step.begin("%d views of an image and a video, by the web server alone".formatted(views));
      Phase before = phase("the web server");
      step.begin("start netserv origin beside nginx: it deploys the module toward the users");
      chart.mark(second, "netserv origin starts");
      daemon.start();
      sent();
      step.begin("%d views with the edge".formatted(views));
      Phase after = phase("the edge");
      show(report, before, after);
      double length = played();
      report.out().printf("%n  SETUPs: %d%n", daemon.counter("setups"));
      report.out().printf("  seconds of video that ffprobe sees at the edge: %.1f%n", length);
      return good(before, after) && Math.round(length) == LENGTH;
    }
  }

  /** Has ffmpeg make an image, and a video in segments of a playlist. */
  private void content() throws IOException {
    make(IMAGE.formatted(nginx.file("image.jpg")));
    Path segments = nginx.file("video/%d.ts");
    make(VIDEO.formatted(LENGTH, SEGMENT_SECONDS, segments, nginx.file("video/list.m3u8")));
  }

  private void make(String command) throws IOException {
    testbed.run("server", command.split(" "));
  }

  /** Has a player open the video as the user does, and returns its length in seconds. */
  private double played() throws IOException {
    String url = "http://" + SERVER + "/video/list.m3u8";
    String command = "timeout 30 ffprobe -v error -show_entries format=duration -of csv=p=0 " + url;
    return Double.parseDouble(testbed.run("user", command.split(" ")).strip());
  }

  /** Waits until nginx sends the user to the edge. */
  private void sent() throws IOException {
    String visit =
        "curl -s -o /dev/null -w %{redirect_url} http://" + SERVER + "/video/list.m3u8 || true";
    Wait.until(
        "the edge",
        PATIENCE,
        () -> {
          second(); // a second of the chart, whatever is seen in it
          return testbed.run("user", "timeout", "10", "sh", "-c", visit).startsWith(EDGE);
        });
  }

  private Phase phase(String mark) throws IOException {
    chart.mark(second, mark);
    long before = bytes();
    long asked = nginx.requests(EDGES_PORT);
    List<Got> got = new ArrayList<>();
    for (int i = 0; i < views; i++) {
      List<Got> view = view("user", mark.replace(' ', '-') + "-" + i);
      double mean = view.stream().mapToDouble(Got::first).average().orElse(0);
      chart.add(FIRST, Math.max(0, second - 1), mean);
      got.addAll(view);
    }
    long sent = bytes() - before;
    long edge = nginx.requests(EDGES_PORT) - asked;
    return new Phase(got, view("abroad", mark.replace(' ', '-') + "-far"), sent, edge);
  }

  /**
   * Has a user look at the image and the video. The player asks for the segments where it got the
   * playlist, as players do.
   */
  private List<Got> view(String user, String name) throws IOException {
    Path result = testbed.state().resolve("view-" + name);
    Path script = testbed.state().resolve("view-" + name + ".sh");
    Files.writeString(
        script,
        Files.readString(LabHome.file("clients/view.sh"))
            .replace("@SERVER@", SERVER)
            .replace("@SEGMENTS@", Integer.toString(SEGMENTS - 1)));
    Process view =
        testbed.spawn(
            user,
            "view-" + name,
            List.of("timeout", "60", "bash", script.toString(), result.toString()));
    do {
      second();
    } while (view.isAlive());
    List<Got> all = new ArrayList<>();
    for (String line : Files.readAllLines(result)) {
      all.add(got(line.split(" ", -1)));
    }
    if (all.size() != SEGMENTS + 2) {
      throw new LabException("a view got " + all.size() + " objects: " + result);
    }
    return all;
  }

  /** Reads a line of view.sh: the kind, seconds, seconds, bytes, the URL in the end. */
  private static Got got(String[] words) throws LabException {
    if (words.length != 5) {
      throw new LabException("not a result of a view: " + String.join(" ", words));
    }
    return new Got(
        words[0],
        Double.parseDouble(words[1]) * 1000,
        Double.parseDouble(words[2]) * 1000,
        Long.parseLong(words[3]),
        words[4].startsWith(EDGE));
  }

  /** Lets a second pass and charts it. */
  private void second() throws IOException {
    long before = bytes();
    Wait.pause(1000);
    chart.add(LINK, second++, (bytes() - before) / 1e6);
  }

  /** Returns the bytes that the server's interface has sent. */
  private long bytes() throws IOException {
    return JSON.readTree(testbed.run("server", "ip", "-s", "-j", "link", "show", "dev", "eth0"))
        .path(0)
        .path("stats64")
        .path("tx")
        .path("bytes")
        .asLong();
  }

  private void show(Report report, Phase before, Phase after) {
    ResultTable table = new ResultTable("", "the web server", "the edge");
    table.row("objects that the user got", before.got().size(), after.got().size());
    table.row("of them from the edge", before.edges(), after.edges());
    table.row("hit ratio there, %", "-", decimal(hits(after)));
    for (String kind : List.of("image", "playlist", "segment")) {
      table.row(
          "first byte of the " + kind + ", p50, ms",
          decimal(before.first(kind)),
          decimal(after.first(kind)));
    }
    table.row("a whole segment, mean, ms", whole(before.got()), whole(after.got()));
    table.row("MB that the user got", megabytes(before.bytes()), megabytes(after.bytes()));
    table.row("MB that the web server sent", megabytes(before.sent()), megabytes(after.sent()));
    table.row("a whole segment far away, mean, ms", whole(before.far()), whole(after.far()));
    report.show(table);
  }

  private static String whole(List<Got> got) {
    return decimal(
        got.stream()
            .filter(one -> one.kind.equals("segment"))
            .mapToDouble(Got::whole)
            .average()
            .orElse(0));
  }

  /** Returns the percentage of the objects from the edge for which it did not ask nginx. */
  private static double hits(Phase phase) {
    return 100.0 * (phase.edges() - phase.asked()) / Math.max(1, phase.edges());
  }

  private static String decimal(double number) {
    return String.format(Locale.ROOT, "%.1f", number);
  }

  private static String megabytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f", bytes / 1e6);
  }

  private boolean good(Phase before, Phase after) {
    return before.edges() == 0
        && after.edges() == after.got().size()
        && after.asked() <= SEGMENTS + 2
        && after.far().stream().noneMatch(Got::edge)
        && before.bytes() == after.bytes()
        && after.sent() <= LEFT_MOST * before.sent()
        && after.first("segment") < before.first("segment");
  }
}
