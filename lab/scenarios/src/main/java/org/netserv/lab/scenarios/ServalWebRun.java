// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.VethCard;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.TimeChart;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.web.DnsFront;
import org.netserv.lab.testbed.web.PacedWeb;
import org.netserv.lab.testbed.web.ProxyFront;
import org.netserv.lab.testbed.web.ServalFront;
import org.netserv.lab.testbed.web.WebFront;
import org.netserv.lab.testbed.web.WebInstance;
import org.netserv.lab.testbed.web.WebUsers;

/**
 * The replicated web service of the Serval paper's Figure 7. Instances of nginx behind a service
 * router join, leave gracefully, and are killed, while users fetch. Each instance serves a fixed
 * number of requests a second, so the rate tells the number of instances at work.
 *
 * <p>Each join brings new users. The draw of an instance is random, so without them the newest
 * instance has a queue that is empty at times, and the rate misses the number of instances by
 * chance.
 *
 * <p>The long form serves the same users by the DNS with a TTL of 1 s and by HAProxy, too.
 */
public final class ServalWebRun implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String ROUTER = "10.1.0.1";
  private static final String SERVER = "server";
  private static final String SERVER_ADDRESS = "192.0.2.10";
  private static final int PLACES = 4;

  /** The part of the SYNs that the router's kernel must take itself. */
  private static final double MOST = 0.9;

  /** Seconds between the order to lead no more users to an instance, and its end. */
  private static final double DRAIN_SECONDS = 1.7;

  /** Seconds between the start of an instance and the first requests of the users it brings. */
  private static final double ARRIVAL_SECONDS = 0.8;

  private static final double NANOS = 1e9;

  private final List<WebStep> steps;
  private final int perSecond;
  private final int users;
  private final double tolerance;
  private final boolean whole;
  private final ComparedRows rows = new ComparedRows("Serval", "what");
  private final Map<Integer, PacedWeb> running = new HashMap<>();
  private final List<WebInstance> instances =
      IntStream.range(0, PLACES)
          .mapToObj(i -> new WebInstance(WebStep.name(i), "198.51.10%d.10".formatted(i + 1)))
          .toList();
  private Stage stage;
  private Testbed testbed;

  private ServalWebRun(
      List<WebStep> steps, int perSecond, int users, double tolerance, boolean whole) {
    this.steps = steps;
    this.perSecond = perSecond;
    this.users = users;
    this.tolerance = tolerance;
    this.whole = whole;
  }

  /** Returns the scenario with all that stands beside Serval. */
  public static ServalWebRun full() {
    return new ServalWebRun(WebStep.FULL, 16, 60, 0.05, true);
  }

  /** Returns Serval alone. Its counts are too small for the bound of the long form. */
  public static ServalWebRun quick() {
    return new ServalWebRun(WebStep.QUICK, 12, 60, 0.15, false);
  }

  @Override
  public String topology() {
    return "serval-web";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    List<WebCourse> courses = new ArrayList<>();
    wholeChecksums();
    stage.step("SETUP of a service router");
    stage.deployServer(
        "node",
        Stage.PUBLISHER,
        LabHome.dist().resolve("apps/service-router.jar"),
        Map.of("registrations", "0000"));
    long before = counter("serval-routed");
    courses.add(course(new ServalFront(testbed, ROUTER)));
    long routed = counter("serval-routed") - before;
    if (whole) {
      courses.add(course(new DnsFront(testbed, SERVER, SERVER_ADDRESS)));
      courses.add(course(new ProxyFront(testbed, SERVER, SERVER_ADDRESS)));
    }
    judge(courses.get(0));
    byKernel(courses.get(0), routed);
    show(courses);
    return rows.hold();
  }

  // ---- acts

  /** Plays all steps with one front. */
  private WebCourse course(WebFront front) throws IOException {
    stage.step(
        "%s: %d users, as many more with each join; instances of %d requests/s"
            .formatted(front.name(), users, perSecond));
    for (int place : steps.get(0).places()) {
      start(place);
    }
    front.open(instances);
    if (front instanceof ServalFront) {
      int wanted = steps.get(0).left();
      Wait.until("rules in the kernel", PATIENCE, () -> rules() == wanted);
    }
    WebUsers load = WebUsers.start(testbed, front, users);
    List<Double> times = new ArrayList<>();
    List<Double> done = new ArrayList<>();
    double due = now();
    for (WebStep step : steps) {
      until(due);
      times.add(now());
      act(front, step, load);
      done.add(step.kind() == WebStep.Kind.KILL ? now() : times.get(times.size() - 1));
      due += step.seconds();
    }
    until(due);
    WebCourse course = new WebCourse(front.name(), steps, times, done, load.stop());
    front.close();
    for (PacedWeb web : running.values()) {
      web.kill();
    }
    running.clear();
    return course;
  }

  private void start(int place) throws IOException {
    running.put(place, PacedWeb.start(testbed, WebStep.name(place), perSecond));
  }

  private void act(WebFront front, WebStep step, WebUsers load) throws IOException {
    double at = now();
    for (int place : step.places()) {
      switch (step.kind()) {
        case START -> {}
        case JOIN -> {
          front.resume(instances.get(place));
          start(place);
          until(at + ARRIVAL_SECONDS);
          load.join(users);
        }
        case LEAVE -> {
          front.drain(instances.get(place));
          until(at + DRAIN_SECONDS);
          running.remove(place).quit();
        }
        case KILL -> running.remove(place).kill();
      }
    }
  }

  private static double now() {
    Instant now = Instant.now();
    return now.getEpochSecond() + now.getNano() / NANOS;
  }

  private static void until(double time) throws IOException {
    Wait.pause(Math.max(0, Math.round((time - now()) * 1000)));
  }

  /** Gives the ends cards: the router's kernel leaves SYNs without a checksum to the module. */
  private void wholeChecksums() throws IOException {
    VethCard.of(testbed, "user").addsChecksums();
    new VethCard(testbed, "core", "mid").takesRedirected();
  }

  private long rules() throws IOException {
    return counter("serval-rules");
  }

  private long counter(String name) throws IOException {
    try (NodeClient client = testbed.client("node")) {
      return Stage.counter(client.counters(Stage.PUBLISHER), name);
    }
  }

  // ---- result

  private void judge(WebCourse serval) {
    for (int i = 0; i < steps.size(); i++) {
      WebStep step = steps.get(i);
      if (step.kind() == WebStep.Kind.JOIN) {
        double expected = serval.proportional(i, perSecond);
        long served = serval.served(i);
        boolean near = Math.abs(served - expected) <= tolerance * expected;
        String bound = "within %.0f %%".formatted(tolerance * 100);
        String seen = served + " of " + Math.round(expected);
        rows.row(step.text(), "served from 1 s on", bound, near ? bound : seen);
      }
      boolean kill = step.kind() == WebStep.Kind.KILL;
      rows.row(step.text(), kill ? "failed, begun later" : "failed", 0, serval.failed(i));
      if (step.kind() == WebStep.Kind.LEAVE) {
        rows.row(step.text(), "failed, under way", 0, serval.failedUnderWay(i));
        rows.row(step.text(), "SYNs sent again", 0, serval.delayed(i));
      }
    }
    rows.row("all", "SYNs sent more than twice", 0, serval.delayedTwice());
  }

  /** Shows the share of connections that the router's module did not see. */
  private void byKernel(WebCourse serval, long routed) {
    int begun = serval.requests().size();
    boolean most = routed > MOST * begun;
    rows.row("all", "SYNs by the router's kernel", "most", most ? "most" : routed + " of " + begun);
  }

  private void show(List<WebCourse> courses) throws IOException {
    WebTables tables = new WebTables(steps, names(), perSecond, courses);
    stage.show(tables.rates());
    stage.show(tables.changes());
    stage.show(tables.shares());
    TimeChart chart = tables.chart();
    stage.out().print(chart.text());
    stage.out().println("  chart: " + chart.write(whole ? "serval-web" : "serval-web-quick"));
    stage.show(rows.table());
  }

  private List<String> names() {
    return instances.stream().map(WebInstance::name).toList();
  }
}
