// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.cache;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.netserv.lab.bench.BenchTestbed;
import org.netserv.lab.bench.FigureTable;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.CpuTime;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.Crowd;
import org.netserv.lab.testbed.tool.WebOrigin;

/**
 * Measures ActiveCDN beside nginx and Varnish, in turn, on the same node and before the same web
 * server: the processor time of a hit, and what fifty clients of a cold object cost and wait for.
 *
 * <p>A cache is charged with its processes alone, ActiveCDN with all processes of the node. wrk
 * asks from the user's side as fast as answers come, on 16 connections.
 */
public final class CacheBench {
  private static final String TOPOLOGY = "cache-bench";
  private static final int CONNECTIONS = 16;
  private static final int CLIENTS = 50;
  private static final int PORT = 8080;
  private static final int PATIENCE_SECONDS = 60;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Loads and their goals. */
  private enum Load {
    SMALL("1 KB", 1_000, false, 40),
    LARGE("100 KB", 100_000, false, 56),
    SMALL_TLS("1 KB by TLS", 1_000, true, 57),
    LARGE_TLS("100 KB by TLS", 100_000, true, 265);

    private final String text;
    private final int bytes;
    private final boolean isSecure;
    private final double goalMicros;

    Load(String text, int bytes, boolean isSecure, double goalMicros) {
      this.text = text;
      this.bytes = bytes;
      this.isSecure = isSecure;
      this.goalMicros = goalMicros;
    }

    String cost() {
      return "CPU per hit, us: " + text;
    }

    String rate() {
      return "hits a second: " + text;
    }

    /** Returns the caches that can bear it. */
    List<Cache> caches() {
      return Arrays.stream(Cache.values())
          .filter(cache -> !isSecure || cache.tlsPort != 0)
          .toList();
    }

    String url(Cache cache) {
      int port = isSecure ? cache.tlsPort : cache.port;
      String scheme = isSecure ? "https" : "http";
      return scheme + "://" + Cache.ADDRESS + ":" + port + "/sized/" + bytes;
    }
  }

  /** Crowds of fifty at a cold object. */
  private enum Cold {
    WHOLE(Crowd.Kind.WHOLE, "cold object", CLIENTS),
    LEAVING(Crowd.Kind.LEAVING, "the first leaves", CLIENTS - 1),
    RANGES(Crowd.Kind.RANGES, "ranges", CLIENTS);

    private final Crowd.Kind kind;
    private final String text;
    private final int whole; // clients

    Cold(Crowd.Kind kind, String text, int whole) {
      this.kind = kind;
      this.text = text;
      this.whole = whole;
    }

    String firstByte() {
      return text + ": first byte of half of 50 clients, ms";
    }

    String fetches() {
      return text + ": requests to the web server";
    }
  }

  private static final double FIRST_BYTE_MILLIS = 150;

  private final CachePlan plan;
  private final Report report;
  private final Step step;
  private final Testbed testbed;
  private final FigureTable figures = new FigureTable();
  private int runs;

  private CacheBench(CachePlan plan, Report report, Step step, Testbed testbed) {
    this.plan = plan;
    this.report = report;
    this.step = step;
    this.testbed = testbed;
  }

  /** Measures, prints and judges. Returns 0 if all goals are met. */
  public static int run(CachePlan plan, Report report) {
    return BenchTestbed.measure(
        TOPOLOGY, report, (testbed, step) -> new CacheBench(plan, report, step, testbed).measure());
  }

  private int measure() throws IOException {
    Process origin = testbed.spawnTool("server", "origin", WebOrigin.class, PORT);
    Cache.makeKeys(testbed);
    for (Cache cache : Cache.values()) {
      step.begin("start " + cache.text);
      cache.start(testbed);
    }
    for (Load load : Load.values()) {
      for (Cache cache : load.caches()) {
        String url = load.url(cache);
        Wait.until(cache.text + " at " + url, PATIENCE, () -> length(url) == load.bytes);
      }
    }
    step.begin(plan.firstSeconds() + " s of each load");
    for (Load load : Load.values()) {
      for (Cache cache : load.caches()) {
        wrk(load.url(cache), plan.firstSeconds());
      }
    }
    for (int round = 1; round <= plan.rounds(); round++) {
      step.begin("round " + round + " of " + plan.rounds());
      for (Load load : Load.values()) {
        for (Cache cache : load.caches()) {
          hits(load, cache);
        }
      }
      for (Cold cold : Cold.values()) {
        for (Cache cache : Cache.values()) {
          cold(cold, cache);
        }
      }
    }
    origin.destroy();
    report.show(figures.table());
    return judge();
  }

  /** Returns the length of the content at a URL, or -1 without one. */
  private long length(String url) throws IOException {
    String command =
        "curl -ksS -m 5 -o /dev/null -w '%{response_code} %{size_download}' "
            + url
            + " 2>&1 || true";
    String[] said = testbed.run("user", "sh", "-c", command).strip().split(" ", -1);
    return said.length == 2 && said[0].equals("200") ? Long.parseLong(said[1]) : -1;
  }

  private void hits(Load load, Cache cache) throws IOException {
    String url = load.url(cache);
    wrk(url, plan.warmSeconds());
    CpuTime before = cache.time(testbed);
    WrkResult result = wrk(url, plan.measureSeconds());
    double micros = cache.time(testbed).microsSince(before);
    figures.of(cache.text, load.cost()).add(micros / result.requests());
    figures.of(cache.text, load.rate()).add(result.perSecond());
  }

  private WrkResult wrk(String url, int seconds) throws IOException {
    return WrkResult.of(
        testbed.run("user", "wrk", "-t1", "-c" + CONNECTIONS, "-d" + seconds + "s", url));
  }

  /** Has fifty clients ask at once for an object that the web server streams for a second. */
  private void cold(Cold cold, Cache cache) throws IOException {
    long before = fetches();
    Tool tool =
        Tool.start(
            testbed,
            "user",
            "crowd-" + ++runs,
            Crowd.class,
            Cache.ADDRESS,
            cache.port,
            CLIENTS,
            0,
            1,
            "/slow/" + runs + "-",
            cold.kind.word());
    Map<String, Long> result = tool.result(PATIENCE_SECONDS);
    if (result.get("whole") != cold.whole) {
      throw new LabException(cache.text + ", " + cold.text + ": " + result);
    }
    figures.of(cache.text, cold.firstByte()).add(result.get("median") / 1e3);
    figures.of(cache.text, cold.fetches()).add((double) (fetches() - before));
  }

  private long fetches() throws IOException {
    String count = testbed.run("user", "curl", "-fsS", "http://" + Cache.ORIGIN + "/count");
    return Long.parseLong(count.strip());
  }

  private int judge() {
    ResultTable goals = new ResultTable("goal of ActiveCDN", "at most", "median", "");
    boolean all = true;
    for (Load load : Load.values()) {
      all &= judge(goals, load.cost(), load.goalMicros);
    }
    for (Cold cold : Cold.values()) {
      all &= judge(goals, cold.firstByte(), FIRST_BYTE_MILLIS);
      all &= judge(goals, cold.fetches(), 1);
    }
    report.show(goals);
    return report.verdict(all, all ? "All goals are met." : "A goal is missed.");
  }

  private boolean judge(ResultTable goals, String what, double most) {
    double median = figures.of(Cache.EDGE.text, what).median();
    boolean met = median <= most;
    goals.row(what, most, "%.1f".formatted(median), met ? "ok" : "MISSED");
    return met;
  }
}
