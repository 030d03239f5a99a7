// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.LoadCrowd;
import org.netserv.lab.testbed.tool.LoadOrigin;

/**
 * Minutes of mixed load on ActiveCDN, with slices, in a container with a small memory and a small
 * disk: objects and ranges by HTTP/1.1 and HTTP/2, contents that change at the origin, purges by
 * URL, prefix and surrogate key, kill -9 of the container, and a disk that is full. Each response
 * must be the bytes of one version that was valid. No response may be cut or refused without a
 * cause: a kill, or a content that changed while it was sent.
 */
public final class ActiveCdnLoad implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /**
   * The longest back-off of a container that dies again and again is 60 s. On a busy machine a
   * start may fail, because the module takes too long.
   */
  private static final Duration RETURN = Duration.ofSeconds(200);

  private static final int PORT = 8080;
  private static final int CLIENTS = 12;
  private static final int MINUTES = 10;
  private static final int QUICK_SECONDS = 30;
  private static final int CALM_MILLIS = 15_000; // between two incidents
  private static final int QUICK_CALM_MILLIS = 8_000;
  private static final int FULL_MILLIS = 4_000;
  private static final String ORIGIN = "192.0.2.10";
  private static final String EDGE = "10.1.0.1";
  private static final String SECRET = "lab-secret-of-16";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final boolean quick;
  private final Map<String, Long> counters = new TreeMap<>(); // of all lives of the container
  private Stage stage;
  private Testbed testbed;
  private Path outages;
  private int kills;
  private int fills;

  private ActiveCdnLoad(boolean quick) {
    this.quick = quick;
  }

  /** Plays for ten minutes, or for as many as are wanted. */
  public static Scenario full() {
    return new ActiveCdnLoad(false);
  }

  /** Plays for half a minute. */
  public static Scenario quick() {
    return new ActiveCdnLoad(true);
  }

  @Override
  public String topology() {
    return "activecdn-load";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    outages = Files.createFile(testbed.state().resolve("outages"));
    Process origin = testbed.spawnTool("server", "origin", LoadOrigin.class, PORT);
    String count = "curl -fsS http://" + ORIGIN + ":" + PORT + "/count";
    Wait.until("the origin", PATIENCE, () -> run("user", count).startsWith("requests="));
    stage.step("SETUP of the cache");
    setUp();
    Wait.until("the cache", PATIENCE, this::answers);
    int seconds = quick ? QUICK_SECONDS : 60 * stage.minutes(MINUTES);
    stage.step(seconds + " s of " + CLIENTS + " clients, purges, kill -9 and a full disk");
    Tool crowd =
        Tool.start(
            testbed, "user", "crowd", LoadCrowd.class, EDGE, seconds, CLIENTS, SECRET, outages);
    int incident = 0;
    int calm = quick ? QUICK_CALM_MILLIS : CALM_MILLIS;
    long last = System.nanoTime() + (1_000L * seconds - calm) * 1_000_000L;
    while (System.nanoTime() < last && crowd.running()) {
      Wait.pause(calm);
      incident(incident++ % 3);
    }
    Map<String, Long> result = crowd.result(120);
    gather();
    String served = run("user", count);
    origin.destroy();
    stage.out().print(testbed.tail("user", "crowd", 30));
    return judge(result, served);
  }

  /**
   * Lets the disk be full, the container die, or both. A container cannot install its module again
   * on a full disk, so the cache is back only after the disk has room.
   */
  private void incident(int which) throws IOException {
    if (which > 0) {
      fill(filler());
      Wait.pause(FULL_MILLIS);
    }
    if (which != 1) {
      kill();
      Wait.pause(which == 0 ? 0 : FULL_MILLIS);
    }
    if (which > 0) {
      Wait.until("room on the disk", RETURN, this::emptied);
    }
    if (which != 1) {
      Wait.until("the cache again", RETURN, this::answers);
      note(LoadCrowd.UP);
    }
  }

  /** Deletes the filler if a container runs, through which it is seen. */
  private boolean emptied() {
    try {
      Files.delete(filler());
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private long container() throws IOException {
    try (NodeClient client = testbed.client("node")) {
      return client.status().path("containers").path(0).path("pid").asLong();
    }
  }

  private void kill() throws IOException {
    gather();
    ProcessHandle victim = ProcessHandle.of(container()).orElseThrow();
    note(LoadCrowd.DOWN);
    victim.destroyForcibly();
    Wait.until("its end", PATIENCE, () -> !victim.isAlive());
    kills++;
  }

  /** Tells the clients at once, because they may end before the cache is back. */
  private void note(String what) throws IOException {
    String line = what + " " + System.currentTimeMillis() + "\n";
    Files.writeString(outages, line, StandardOpenOption.APPEND);
  }

  /** The file that fills the publisher's file system, seen through the container's process. */
  private Path filler() throws IOException {
    Path root = Path.of("/proc", Long.toString(container()), "root");
    String found =
        run(
            "node",
            "find "
                + root
                + "/ -name proc -prune -o -type d -name activecdn-responses -print -quit 2>/dev/null");
    if (found.isEmpty()) {
      throw new LabException("no directory of responses below " + root);
    }
    return Path.of(found).resolveSibling("filler");
  }

  private void fill(Path filler) throws IOException {
    byte[] block = new byte[1 << 16];
    try (var out = Files.newOutputStream(filler)) {
      while (true) {
        out.write(block);
      }
    } catch (IOException e) {
      fills++; // no space is left
    }
  }

  /** Adds up the counters of the container that is about to end. */
  private void gather() throws IOException {
    JsonNode now = JSON.readTree(run("user", order("counters")));
    now.properties()
        .forEach(
            each -> {
              if (!each.getKey().contains("-")) { // sizes have hyphens
                counters.merge(each.getKey(), each.getValue().asLong(), Long::sum);
              }
            });
  }

  private boolean answers() throws IOException {
    return run("user", order("counters")).startsWith("{");
  }

  private static String order(String order) {
    return "curl -fsS -m 5 -H \"Authorization: Bearer %s\" http://%s/.activecdn/%s 2>/dev/null"
        .formatted(SECRET, EDGE, order);
  }

  private String run(String host, String command) throws IOException {
    return testbed.run(host, "timeout", "20", "bash", "-c", command + " || true").strip();
  }

  private boolean judge(Map<String, Long> result, String served) {
    ResultTable table = new ResultTable("clients", "count", "");
    boolean holds = true;
    for (String name : new String[] {"wrong", "stale", "status", "failed"}) {
      boolean none = result.get(name) == 0;
      holds &= none;
      table.row(name, result.get(name), none ? "ok" : "WRONG");
    }
    for (String name : new String[] {"whole", "parts", "multiplexed", "hits", "purges", "purged"}) {
      boolean some = result.get(name) > 0;
      holds &= some;
      table.row(name, result.get(name), some ? "ok" : "WRONG");
    }
    for (String name :
        new String[] {"bytes", "notmodified", "unsatisfiable", "cutbykill", "cutbychange"}) {
      table.row(name, result.get(name), "");
    }
    holds &= kills > 0 && fills > 0;
    table.row("kill -9", kills, kills > 0 ? "ok" : "WRONG");
    table.row("full disk", fills, fills > 0 ? "ok" : "WRONG");
    table.row("the origin: " + served, "", "");
    stage.show(table);
    ResultTable edge = new ResultTable("the cache, in all its lives", "count");
    counters.forEach(
        (name, count) -> {
          if (count > 0) {
            edge.row(name, count);
          }
        });
    stage.show(edge);
    return holds;
  }

  private void setUp() throws IOException {
    LabPublisher publisher = testbed.publisher(Stage.PUBLISHER);
    Bundle bundle = publisher.publish(LabHome.dist().resolve("apps/activecdn.jar"));
    Map<String, String> properties =
        Map.of(
            "origin", ORIGIN + ":" + PORT,
            "store-kib", "8192",
            "entry-kib", "1024",
            "slice-kib", "64",
            "disk-mib", "24",
            "connections-per-address", "1000",
            "admin-secret", SECRET,
            "tls-keys", ServerKeys.make(testbed, "server", "cdn.example.net"),
            "tls-password", ServerKeys.PASSWORD);
    InetAddress server = stage.server(false);
    try (NodeClient client = testbed.client("node")) {
      var answer = client.ncm(publisher.setup(bundle, server, server, Map.of(), properties));
      if (!answer.running()) {
        throw new LabException("SETUP of the cache: " + answer);
      }
    }
  }
}
