// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;

/**
 * ActiveCDN takes the connections to its publisher's web server, an nginx. The user asks the
 * server's own address throughout. The cache must answer while it runs, see the user's address, and
 * fetch from the server itself. Without the cache, beyond its share of connections, or with a
 * process of the node killed, the server must answer. So it must after an operator has removed the
 * node's rules, until they are back. A download that has begun before goes on. When the TTL ends,
 * and after a REMOVE, the node has no rule left.
 */
public final class Transparent implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String V4 = "http://192.0.2.10";
  private static final String V6 = "http://[2001:db8::10]";
  private static final String SECRET = "lab-secret-of-16";
  private static final int ROUNDS = 20;

  /** Bytes of the download that outlasts the SETUP. nginx sends it in some seconds. */
  private static final int LONG = 400_000;

  /** Half of the quota {@code connections} of the topology. */
  private static final int SHARE = 32;

  /** Seconds that a module lives without a refresh. */
  private static final int TTL = 15;

  /** Names the cache, or the web server if no cache has answered. */
  private static final String WHO =
      " | grep -i ^cache-status | cut -d\";\" -f1 | tr -d \" \\r\" | grep . || echo origin";

  /** Counts the lines of the node's table that take connections. */
  private static final String TAKING = "nft list table inet netserv | grep -c tak";

  private static final String CACHE = "Cache-Status:activecdn";

  private final ResultTable table = new ResultTable("asked", "expected", "answer", "");
  private Stage stage;
  private Testbed testbed;
  private Path log;
  private boolean holds = true;

  @Override
  public String topology() {
    return "transparent";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    Process nginx = origin();
    Wait.until("nginx", PATIENCE, () -> user("curl -fsS " + V4 + "/x").equals("hello"));
    stage.step("without the cache");
    expect("before", "origin", head(V4 + "/x") + WHO);
    String download = testbed.state().resolve("download").toString();
    Process slow =
        testbed.spawn(
            "user", "download", List.of("curl", "-fsS", "-m", "60", "-o", download, V4 + "/long"));
    Wait.until("the download", PATIENCE, () -> Files.exists(Path.of(download)));
    stage.step("SETUP of the cache");
    Bundle bundle =
        testbed.publisher(Stage.PUBLISHER).publish(LabHome.dist().resolve("apps/activecdn.jar"));
    setUp(bundle, 3600);
    taken();
    stage.step("more connections than the cache's share");
    crowded();
    stage.step("an operator removes rules");
    removed("nft flush ruleset", "fence");
    removed("ip -4 rule del pref 20051", "rule4");
    removed("ip -6 rule del pref 20051", "rule6");
    stage.step("kill -9 of the container");
    killed("container");
    stage.step("kill -9 of the spawner, and with it of the container");
    killed("spawner");
    stage.step("kill -9 of the controller");
    killed("controller");
    stage.step("REMOVE");
    stage.order("remove", bundle.module());
    gone("REMOVE");
    stage.step("SETUP for " + TTL + " s, and no refresh");
    setUp(bundle, TTL);
    expect("with the TTL", CACHE, head(V4 + "/x") + WHO);
    Wait.until("the end of the TTL", PATIENCE, () -> run("node", TAKING).equals("0"));
    gone("the TTL");
    Wait.until("the end of the download", Duration.ofSeconds(60), () -> !slow.isAlive());
    expect("the download of before", Integer.toString(LONG), "stat -c %s " + download);
    nginx.destroy();
    stage.show(table);
    return holds;
  }

  /** Asks while the cache runs. */
  private void taken() throws IOException {
    long before = requests();
    expect("a miss", CACHE + ";fwd=uri-miss", "curl -sS -D - -o /dev/null " + V4 + "/x" + status());
    expect("a hit", CACHE + ";hit", "curl -sS -D - -o /dev/null " + V4 + "/x" + status());
    expect("its content", "hello", "curl -fsS " + V4 + "/x");
    check("requests at nginx", "1", Long.toString(requests() - before));
    expect("by IPv6", CACHE, head(V6 + "/x") + WHO);
    expect("another port", "origin", head(V4 + ":81/x") + WHO);
    String code = "curl -s -m 5 -o /dev/null -w %{response_code} ";
    expect("another host", "421", code + "-H \"Host: other.example\" " + V4 + "/x");
    expect("a form", "404", code + "-d a=b " + V4 + "/form");
    String fields = "grep -c \" 10.1.0.10 /form$\" " + log;
    check("the user's address at nginx", "1", run("server", fields));
    String order = "-H \"Authorization: Bearer " + SECRET + "\" " + V4 + "/.activecdn/log";
    expect(
        "in the cache's log",
        "10.1.0.10",
        "curl -fsS " + order + " | head -n 1 | cut -d \" \" -f 2");
    check("the node's counter", "7", Long.toString(counter("taken")));
  }

  /**
   * Holds so many connections open that the next ones go on to the web server. When they are
   * closed, the cache answers again.
   */
  private void crowded() throws IOException {
    long before = counter("taken-over");
    String open =
        "for i in $(seq %d); do exec {fd}<>/dev/tcp/192.0.2.10/80 || echo none; done; "
            .formatted(SHARE + 1);
    expect("beyond the share", "origin", open + head(V4 + "/x") + WHO);
    check("the node's counter of it", "2", Long.toString(counter("taken-over") - before));
    Wait.until("the cache again", PATIENCE, () -> user(head(V4 + "/x") + WHO).equals(CACHE));
    expect("when they are closed", CACHE, head(V4 + "/x") + WHO);
  }

  /**
   * Removes rules of the node's as an operator might. Each connection that begins then must have an
   * answer, and the rules must come back.
   */
  private void removed(String command, String part) throws IOException {
    long healed = healed();
    run("node", command);
    answers("after " + command);
    Wait.until("the rules again", PATIENCE, () -> healed() > healed);
    check("the node names " + part, "true", Boolean.toString(lastDamage().contains(part)));
    expect("later", CACHE, head(V4 + "/x") + WHO);
    expect("later, IPv6", CACHE, head(V6 + "/x") + WHO);
  }

  private long healed() throws IOException {
    try (NodeClient client = testbed.client("node")) {
      return client.status().path("firewall").path("healed").asLong();
    }
  }

  private String lastDamage() throws IOException {
    try (NodeClient client = testbed.client("node")) {
      return client.status().path("firewall").path("last").path("parts").toString();
    }
  }

  private long counter(String name) throws IOException {
    try (NodeClient client = testbed.client("node")) {
      return Stage.counter(client.counters(Stage.PUBLISHER), name);
    }
  }

  private void gone(String how) throws IOException {
    expect("after " + how, "origin", head(V4 + "/x") + WHO);
    expect("after " + how + ", IPv6", "origin", head(V6 + "/x") + WHO);
    nothingLeft();
  }

  /** Kills a process of the node. Each connection that begins after its end must have an answer. */
  private void killed(String victim) throws IOException {
    NodeProcesses.of(testbed, "node").end(victim);
    answers("after kill -9 of the " + victim);
    Wait.until("the node", PATIENCE, this::runs);
    Wait.until("the cache again", PATIENCE, () -> user(head(V4 + "/x") + WHO).equals(CACHE));
    expect("later", CACHE, head(V4 + "/x") + WHO);
  }

  /** Asks many times from now on. Each connection must have an answer. */
  private void answers(String when) throws IOException {
    String one = "curl -fsS -m 5 " + V4 + "/x";
    String all = "for i in $(seq %d); do %s; echo; sleep 0.05; done 2>&1".formatted(ROUNDS, one);
    expect(
        when, ROUNDS + " hello", all + " | grep . | sort | uniq -c | tr -s \" \" | sed \"s/^ //\"");
  }

  /** Returns true if the node's controller answers, and says that the module runs. */
  private boolean runs() {
    try (NodeClient client = testbed.client("node")) {
      JsonNode module = client.status().path("containers").path(0).path("modules").path(0);
      return module.path("state").asText().equals("running");
    } catch (IOException e) {
      return false;
    }
  }

  private void nothingLeft() throws IOException {
    expect("rules that take", "0", "node", TAKING);
    expect("rules of routes", "0", "node", "(ip -4 rule; ip -6 rule) | grep -c 20051");
    String routes = "(ip -4 route show table 20051; ip -6 route show table 20051) 2>/dev/null";
    expect("routes", "0", "node", routes + " | grep -c nsv");
  }

  /** Starts nginx. It logs the address of the client, the address in its field, and the path. */
  private Process origin() throws IOException {
    Path directory = Files.createDirectories(testbed.state().resolve("nginx/www")).getParent();
    Files.writeString(directory.resolve("www/x"), "hello");
    Files.write(directory.resolve("www/long"), new byte[LONG]);
    log = directory.resolve("access.log");
    Path file = directory.resolve("nginx.conf");
    Files.writeString(
        file,
        """
        daemon off;
        user root;
        worker_processes 1;
        pid %1$s/nginx.pid;
        error_log %1$s/error.log;
        events {}
        http {
          log_format seen "$remote_addr $http_x_forwarded_for $uri";
          access_log %2$s seen;
          client_body_temp_path %1$s/body;
          proxy_temp_path %1$s/proxy;
          fastcgi_temp_path %1$s/fastcgi;
          uwsgi_temp_path %1$s/uwsgi;
          scgi_temp_path %1$s/scgi;
          server {
            listen 80;
            listen [::]:80;
            listen 81;
            root %1$s/www;
            add_header Cache-Control max-age=1000;
            location /long { limit_rate 20k; }
          }
        }
        """
            .formatted(directory, log));
    return testbed.spawn(
        "server", "nginx", List.of("nginx", "-e", "stderr", "-c", file.toString()));
  }

  private long requests() throws IOException {
    return Long.parseLong(run("server", "grep -c /x$ " + log));
  }

  private static String head(String url) {
    return "curl -sS -m 5 -D - -o /dev/null " + url;
  }

  private static String status() {
    return " | grep -i ^cache-status | cut -d\";\" -f1,2 | tr -d \" \\r\"";
  }

  private void setUp(Bundle bundle, int ttl) throws IOException {
    stage.order(
        "setup",
        bundle.module() + "_" + bundle.version(),
        "--digest",
        bundle.digest(),
        "--url",
        "http://192.0.2.10:8000/" + bundle.file(),
        "--ttl",
        Integer.toString(ttl),
        "--take",
        "80:8080",
        "--property",
        "origin=192.0.2.10:80",
        "--property",
        "port=8080",
        "--property",
        "transparent=on",
        "--property",
        "hosts=192.0.2.10 [2001:db8::10]",
        "--property",
        "access-log-kib=64",
        "--sealed",
        "admin-secret=" + SECRET);
  }

  private String user(String command) throws IOException {
    return run("user", command);
  }

  private String run(String host, String command) throws IOException {
    return testbed.run(host, "timeout", "60", "bash", "-c", command + " || true").strip();
  }

  private void expect(String asked, String expected, String command) throws IOException {
    expect(asked, expected, "user", command);
  }

  private void expect(String asked, String expected, String host, String command)
      throws IOException {
    check(asked, expected, run(host, command));
  }

  private void check(String asked, String expected, String answer) {
    boolean right = answer.equals(expected);
    holds &= right;
    table.row(asked, expected, answer, right ? "ok" : "WRONG");
  }
}
