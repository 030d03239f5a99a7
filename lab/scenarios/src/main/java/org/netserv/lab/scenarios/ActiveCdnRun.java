// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.WebOrigin;

/**
 * ActiveCDN in a publisher's container: a miss, a hit, a range, a purge, the same by TLS, and fifty
 * clients of one cold object that the web server streams for a second. Each must get each byte, and
 * the web server one request for all of them.
 */
public final class ActiveCdnRun implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String EDGE = "http://10.1.0.1";
  private static final String ORIGIN = "http://192.0.2.10:8080";
  private static final String SECRET = "lab-secret-of-16";
  private static final String TLS_NAME = "cdn.example.net";
  private static final int CLIENTS = 50;

  /** The first parameter of Cache-Status, from a head. */
  private static final String STATUS =
      " | grep -i ^cache-status | cut -d\";\" -f2 | tr -d \" \\r\"";

  /** SHA-256 of the web server's content, its first half. */
  private static final String DIGEST = "sha256sum | cut -c1-16";

  private final ResultTable table = new ResultTable("asked", "expected", "answer", "");
  private Stage stage;
  private Testbed testbed;
  private boolean holds = true;

  @Override
  public String topology() {
    return "activecdn";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    Process origin = testbed.spawnTool("server", "origin", WebOrigin.class, 8080);
    Wait.until("the origin", PATIENCE, () -> user("curl -fsS " + ORIGIN + "/count").equals("0"));
    String digest = user("curl -fsS " + ORIGIN + "/fast/x | " + DIGEST);
    stage.step("SETUP of the cache");
    Bundle bundle = setUp();
    Wait.until("the cache", PATIENCE, () -> user("curl -sS " + EDGE + "/count").equals("1"));
    stage.step("a miss, a hit, a range, a purge");
    expect("a miss", digest, "curl -fsS " + EDGE + "/fast/x | " + DIGEST);
    expect("a hit", digest, "curl -fsS " + EDGE + "/fast/x | " + DIGEST);
    expect("the status", "hit", status("/fast/x"));
    expect("a range", "100", "curl -fsS -r 100-199 " + EDGE + "/fast/x | wc -c");
    requests("one request until here", 2);
    expect("a purge", "{\"purged\":1}", purge("/fast/x"));
    expect("the status", "fwd=uri-miss", status("/fast/x"));
    stage.step("TLS");
    secure(digest);
    stage.step("fifty clients of one cold object");
    crowd("whole", "", digest);
    requests("one request for all", 5);
    String part = user("curl -fsS -r 100- " + EDGE + "/fast/x | " + DIGEST);
    crowd("ranges", "-r 100-", part);
    requests("one request for all ranges", 6);
    stage.step("REMOVE");
    stage.remove(bundle);
    expect("nobody", "nobody", "curl -fsS -m 2 " + EDGE + "/ 2>/dev/null || echo nobody");
    origin.destroy();
    stage.show(table);
    return holds;
  }

  /** Asks by https, which has URIs of its own, and for the certificate of a name. */
  private void secure(String digest) throws IOException {
    String curl = "curl -ksS --connect-to ::10.1.0.1:443 ";
    String name = "https://" + TLS_NAME;
    expect("by TLS", digest, curl + "-f " + name + "/fast/x | " + DIGEST);
    expect("a hit by TLS", "hit", curl + "-D - -o /dev/null " + name + "/fast/x" + STATUS);
    String shown = " 2>&1 | grep -o \"subject: CN=[a-z.]*\"";
    String version = "-o /dev/null -w \"%{http_version} %{response_code}\" " + name + "/fast/x";
    expect("HTTP/2", "2 200", curl + version);
    expect("HTTP/1.1", "1.1 200", curl + "--http1.1 " + version);
    expect("the certificate", "subject: CN=" + TLS_NAME, curl + "-v -o /dev/null " + name + shown);
  }

  /**
   * Asks for a cold object with many clients at once, and counts the different contents. The median
   * time to the first byte is shown and not judged, for the machine may be loaded.
   */
  private void crowd(String name, String options, String digest) throws IOException {
    Path times = testbed.state().resolve("first-bytes-" + name);
    String one =
        "curl -fsS %s -w \"%%{stderr}%%{time_starttransfer}\\n\" %s/slow/%s 2>>%s | %s"
            .formatted(options, EDGE, name, times, DIGEST);
    String all =
        "for i in $(seq %d); do (%s) & done | sort | uniq -c | tr -s \" \"".formatted(CLIENTS, one);
    expect(CLIENTS + " clients, " + name, CLIENTS + " " + digest, all);
    String median = user("sort -n %s | sed -n %dp".formatted(times, CLIENTS / 2));
    table.row("seconds to the first byte, median", "", median, "seen");
  }

  private static String status(String path) {
    return "curl -fsS -D - -o /dev/null " + EDGE + path + STATUS;
  }

  private static String purge(String path) {
    return ("curl -fsS -X POST -H \"Authorization: Bearer %s\" -H \"Purge-Url: %s%s\""
            + " %s/.activecdn/purge")
        .formatted(SECRET, EDGE, path, EDGE);
  }

  private void requests(String what, int count) throws IOException {
    expect(what, Integer.toString(count), "curl -fsS " + ORIGIN + "/count");
  }

  private Bundle setUp() throws IOException {
    return stage.deployServer(
        LabHome.dist().resolve("apps/activecdn.jar"),
        Map.of(
            "origin",
            "192.0.2.10:8080",
            "admin-secret",
            SECRET,
            "connections-per-address",
            "99",
            "tls-keys",
            ServerKeys.make(testbed, "server", TLS_NAME),
            "tls-password",
            ServerKeys.PASSWORD));
  }

  private String user(String command) throws IOException {
    return testbed.run("user", "timeout", "20", "bash", "-c", command + " || true").strip();
  }

  private void expect(String asked, String expected, String command) throws IOException {
    String answer = user(command);
    boolean right = answer.equals(expected);
    holds &= right;
    table.row(asked, expected, answer, right ? "ok" : "WRONG");
  }
}
