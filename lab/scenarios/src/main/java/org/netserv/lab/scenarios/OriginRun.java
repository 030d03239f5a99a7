// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.netserv.lab.testbed.EdgeKeys;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.OriginDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.WebServer;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.AskingOrigin;

/**
 * A publisher's nginx that asks {@code netserv origin} where a user is served. The first user of a
 * prefix is served by nginx, and ActiveCDN goes to the one of two nodes on the path that is nearer
 * to the user. Then users on the path and users near by place are sent there, and users far away
 * are not. The director and the node are killed, the city database is damaged, and nobody comes any
 * more. At last the edge gets a key that it alone can read, and users are sent there by https.
 */
public final class OriginRun implements Scenario {
  private static final Duration SOON = Duration.ofSeconds(45);

  /** Bound of the time in which users may still be sent to a node that has vanished. */
  private static final Duration VANISHED = Duration.ofSeconds(30);

  private static final String SERVER = "http://192.0.2.10";
  private static final String STREET = "http://198.51.100.1";
  private static final String TOWN = "http://10.0.1.2";
  private static final String MODULE = "NetServ.apps.ActiveCDN";
  private static final String DIGEST = " | sha256sum | cut -c1-16";
  private static final int JAVA = 8083;

  /** The name of the second node in the domain of the edges. */
  private static final String NAME = "10-0-1-2.edge.example.net";

  private static final int IDLE = 15;

  private final ResultTable table = new ResultTable("asked", "expected", "answer", "");
  private Testbed testbed;
  private OriginDaemon director;
  private WebServer nginx;
  private String digest;
  private boolean holds = true;

  @Override
  public String topology() {
    return "origin";
  }

  @Override
  public boolean play(Stage stage) throws IOException {
    testbed = stage.testbed();
    stage.step("nginx, a Java server and the director");
    nginx = new WebServer(testbed, "server");
    nginx.content("a.jpg", 100_000, 1);
    director =
        OriginDaemon.prepare(
            testbed,
            "server",
            testbed.publisher(Stage.PUBLISHER),
            List.of("town", "street"),
            """
            path: {check: 3, retry: 3, budget: 20}
            edges: {near-km: 100, check-interval: 2}
            users: {idle: %d}
            """
                .formatted(IDLE));
    Tool java =
        Tool.start(
            testbed, "server", "java", AskingOrigin.class, JAVA, "http://127.0.0.1:8079/decide");
    try (WebServer web = nginx) {
      web.start();
      digest = ask("abroad", "curl -fsS " + SERVER + "/a.jpg" + DIGEST);
      expect("without a director", "200", "user", visit());
      decided(stage, java);
      stage.step("https at the edge, by a sealed key");
      secure();
    } finally {
      java.process().destroy();
      stage.show(table);
    }
    return holds;
  }

  /** Plays with the director of plain HTTP, from the first user to the last. */
  private void decided(Stage stage, Tool java) throws IOException {
    try (OriginDaemon daemon = director) {
      daemon.start();
      java.await("ready");
      stage.step("the first users");
      first();
      stage.step("users by place, forged addresses, another web server");
      places();
      stage.step("a damaged city database");
      damaged();
      stage.step("kill -9 of the director");
      killed();
      stage.step("kill -9 of the node that is nearest to the user");
      vanished();
      stage.step("nobody comes for " + IDLE + " s");
      idle();
    }
  }

  /** Returns the command of a visit, which prints the status and where a redirection leads. */
  private static String visit(String... options) {
    return "curl -s -m 5 -o /dev/null -w \"%{http_code} %{redirect_url}\" "
        + String.join(" ", options)
        + " "
        + SERVER
        + "/a.jpg";
  }

  private static String sent(String edge) {
    return "307 " + edge + "/a.jpg";
  }

  private void first() throws IOException {
    expect("the first visit", "200", "user", visit());
    settle(() -> ask("user", visit()).equals(sent(STREET)));
    expect("then, of two nodes", sent(STREET), "user", visit());
    expect("not to be stored", "no-store", "user", header("cache-control"));
    expect("its content", digest, "user", "curl -fsSL " + SERVER + "/a.jpg" + DIGEST);
    long requests = nginx.requests(8081);
    expect("again", digest, "user", "curl -fsSL " + SERVER + "/a.jpg" + DIGEST);
    fact("the edge asked nginx for it again", 0, nginx.requests(8081) - requests);
    fact("SETUPs", 1, director.counter("setups"));
    fact("town runs the module", false, runs("town"));
  }

  private static String header(String name) {
    return "curl -s -m 5 -D - -o /dev/null %s/a.jpg | grep -i ^%s | cut -d: -f2 | tr -d \" \\r\""
        .formatted(SERVER, name);
  }

  private void places() throws IOException {
    long probes = director.counter("probes");
    expect("a user near by, off the path", sent(STREET), "village", visit());
    expect("its content", digest, "village", "curl -fsSL " + SERVER + "/a.jpg" + DIGEST);
    expect("a user far away", "200", "abroad", visit());
    String forged = "-H \"NetServ-Client: 198.51.100.10\"";
    expect("the same with a forged address", "200", "abroad", visit(forged));
    String inside = SERVER + "/.netserv/decide";
    expect("the question itself", "204", "user", visit().replace(SERVER + "/a.jpg", inside));
    settle(() -> director.counter("paths-bare") > 0);
    fact("PROBEs of new paths, at least", 1, Math.min(1, director.counter("probes") - probes));
    String java = visit().replace(SERVER, SERVER + ":" + JAVA);
    settle(() -> ask("user", java).equals(sent(STREET))); // its first questions may be too slow
    expect("a Java server, a user on the path", sent(STREET), "user", java);
    expect("a Java server, a user far away", "200", "abroad", java);
  }

  private void damaged() throws IOException {
    director.places(new byte[100]);
    settle(() -> director.counter("places-damaged") == 1);
    String state = director.status().path("places").asText();
    fact("the status names it", true, state.startsWith("damaged: "));
    expect("the places before are used", sent(STREET), "village", visit());
  }

  private void killed() throws IOException {
    director.kill();
    expect("without a director", "200", "user", visit());
    director.start();
    settle(() -> ask("user", visit()).equals(sent(STREET)));
    expect("with another one", sent(STREET), "user", visit());
    fact("SETUPs to new nodes", 0, director.counter("setups"));
    settle(() -> director.counter("refreshes") > 0);
    fact("refreshes, at least", 1, Math.min(1, director.counter("refreshes")));
  }

  private void vanished() throws IOException {
    NodeProcesses.of(testbed, "street").killAll();
    boolean[] town = {false};
    settle(
        VANISHED,
        () -> {
          String now = ask("user", visit());
          town[0] |= now.equals(sent(TOWN));
          return town[0] || now.equals("200");
        });
    fact("nobody is sent there after " + VANISHED.toSeconds() + " s", true, !sentToStreet());
    settle(() -> ask("user", visit()).equals(sent(TOWN)));
    expect("the other node on the path", sent(TOWN), "user", visit());
    expect("its content", digest, "user", "curl -fsSL " + SERVER + "/a.jpg" + DIGEST);
    fact("paths that moved", 1, director.counter("paths-moved"));
  }

  private boolean sentToStreet() throws IOException {
    return ask("user", visit()).equals(sent(STREET));
  }

  private void idle() throws IOException {
    fact("town runs the module", true, runs("town"));
    settle(() -> !runs("town"));
    fact("town runs the module then", false, runs("town"));
    fact("prefixes", 0, director.status().path("prefixes").asLong());
    expect("a user who comes then", "200", "user", visit());
  }

  /** Has the edge serve by TLS. The director asks the edge by https, too. */
  private void secure() throws IOException {
    EdgeKeys keys = EdgeKeys.make(testbed, "edge-keys", List.of("dns:" + NAME, "ip:10.0.1.2"));
    String base = "https://" + NAME;
    director =
        OriginDaemon.secure(
            testbed,
            "server",
            testbed.publisher(Stage.PUBLISHER),
            List.of("town"),
            keys,
            """
            path: {check: 3, retry: 3, budget: 20}
            edges:
              url: "https://{dashed}.edge.example.net"
              check: "https://{address}/"
              near-km: 100
              check-interval: 2
            """);
    try (OriginDaemon daemon = director) {
      daemon.start();
      expect("the first visit", "200", "user", visit());
      settle(() -> ask("user", visit()).equals(sent(base)));
      expect("then", sent(base), "user", visit());
      String resolved = "curl -sS -m 5 --connect-to " + NAME + ":443:10.0.1.2:443 ";
      String trusting = resolved + "--cacert " + keys.certificate() + " ";
      expect("its content", digest, "user", trusting + "-fL " + SERVER + "/a.jpg" + DIGEST);
      String status = " | grep -i ^cache-status | cut -d\";\" -f2 | tr -d \" \\r\"";
      expect("again", "hit", "user", trusting + "-D - -o /dev/null " + base + "/a.jpg" + status);
      String code = "-o /dev/null -w \"%{http_version} %{http_code}\" " + base + "/a.jpg";
      expect("HTTP/2", "2 200", "user", trusting + code);
      String untrusted = resolved + code + " 2>/dev/null";
      expect("a client without the certificate", "0 000", "user", untrusted);
    }
  }

  /** Tells whether a node itself says that the module runs. */
  private boolean runs(String node) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return client.why(Stage.PUBLISHER, MODULE).path("state").asText().equals("running");
    } catch (IOException e) {
      return false; // the node knows nothing of the module
    }
  }

  private void settle(Wait.Condition condition) throws IOException {
    settle(SOON, condition);
  }

  private void settle(Duration most, Wait.Condition condition) throws IOException {
    try {
      Wait.until("the director", most, condition);
    } catch (IOException e) {
      // The facts that follow tell what is not as wanted.
      return;
    }
  }

  private String ask(String host, String command) throws IOException {
    return testbed.run(host, "timeout", "20", "bash", "-c", command + " || true").strip();
  }

  private void expect(String asked, String expected, String host, String command)
      throws IOException {
    fact(asked, expected, ask(host, command));
  }

  private void fact(String what, Object expected, Object answer) {
    boolean right = String.valueOf(expected).equals(String.valueOf(answer));
    holds &= right;
    table.row(what, expected, answer, right ? "ok" : "WRONG");
  }
}
