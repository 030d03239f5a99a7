// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.WebOrigin;

/**
 * ActiveCDN in a publisher's container, by a SETUP whose secrets only the node can read: a miss, a
 * hit, a range, a purge, the same by TLS, signed URLs, a balancer's client in the access log, fifty
 * clients of one cold object that the web server streams for a second, and a container that is
 * killed. Each must get each byte, and the web server one request for all of them.
 */
public final class ActiveCdnRun implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String EDGE = "http://10.1.0.1";
  private static final String ORIGIN = "http://192.0.2.10:8080";
  private static final String SECRET = "lab-secret-of-16";
  private static final String URL_KEY = "00112233445566778899aabbccddeeff";
  private static final String TLS_NAME = "cdn.example.net";
  private static final String FAR_CLIENT = "198.51.100.9";
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
    return "servers";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    Process origin = testbed.spawnTool("server", "origin", WebOrigin.class, 8080);
    Wait.until("the origin", PATIENCE, () -> user("curl -fsS " + ORIGIN + "/count").equals("0"));
    String digest = user("curl -fsS " + ORIGIN + "/fast/x | " + DIGEST);
    stage.step("SETUP of the cache");
    Bundle bundle =
        testbed.publisher(Stage.PUBLISHER).publish(LabHome.dist().resolve("apps/activecdn.jar"));
    setUp(bundle);
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
    stage.step("signed URLs");
    signed(digest);
    stage.step("a balancer, and the access log");
    balanced();
    stage.step("fifty clients of one cold object");
    crowd("whole", "", digest);
    requests("one request for all", 6);
    String part = user("curl -fsS -r 100- " + EDGE + "/fast/x | " + DIGEST);
    crowd("ranges", "-r 100-", part);
    requests("one request for all ranges", 7);
    stage.step("kill -9 of the container");
    killed(digest);
    stage.step("REMOVE");
    stage.order("remove", bundle.module());
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

  /** Asks below the prefix that needs signatures. */
  private void signed(String digest) throws IOException {
    String path = "/fast/signed/x?expires=4102444800&key=k1";
    String url = "\"" + EDGE + path + "&signature=" + signature("10.1.0.1" + path) + "\"";
    String status = "curl -s -o /dev/null -w %{response_code} ";
    expect("an unsigned URL", "403", status + EDGE + "/fast/signed/x");
    expect("a signed one", digest, "curl -fsS " + url + " | " + DIGEST);
    expect("its signature elsewhere", "403", status + url.replace("signed/x", "signed/y"));
  }

  /** Asks from the address of a balancer, which names its clients by the PROXY protocol. */
  private void balanced() throws IOException {
    String code = "curl -s -m 5 -o /dev/null -w %{response_code} " + EDGE + "/fast/x";
    expect("a balancer", "200", "server", code + " --haproxy-protocol");
    expect("a balancer without its header", "000", "server", code);
    String request = "GET /fast/x HTTP/1.1\\r\\nHost: 10.1.0.1\\r\\nConnection: close\\r\\n\\r\\n";
    String named = "PROXY TCP4 " + FAR_CLIENT + " 10.1.0.1 4000 80\\r\\n" + request;
    String sent = "exec 3<>/dev/tcp/10.1.0.1/80; printf \"" + named + "\" >&3; head -c 12 <&3";
    expect("its client", "HTTP/1.1 200", "server", sent);
    String last = order("GET", "log", "") + " | tail -n 1 | cut -d \" \" -f 2,7-9";
    expect("the log's line", FAR_CLIENT + " \"GET " + EDGE + "/fast/x HTTP/1.1\"", last);
  }

  private static String signature(String signed) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(HexFormat.of().parseHex(URL_KEY), "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(signed.getBytes(StandardCharsets.US_ASCII)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HMAC", e);
    }
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

  /** Kills the container. What is stored comes back with it, and what was purged does not. */
  private void killed(String digest) throws IOException {
    expect("a response", digest, "curl -fsS " + EDGE + "/fast/kept | " + DIGEST);
    expect("another one", digest, "curl -fsS " + EDGE + "/fast/gone | " + DIGEST);
    expect("a purge of it", "{\"purged\":1}", purge("/fast/gone"));
    try (NodeClient client = testbed.client("node")) {
      long pid = client.status().path("containers").path(0).path("pid").asLong();
      ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    }
    Wait.until("the cache again", PATIENCE, () -> user("curl -sS " + EDGE + "/count").equals("9"));
    expect("the status after kill -9", "hit", status("/fast/kept"));
    expect("its content", digest, "curl -fsS " + EDGE + "/fast/kept | " + DIGEST);
    expect("the status of the other", "fwd=uri-miss", status("/fast/gone"));
    requests("one request for it", 10);
  }

  private static String status(String path) {
    return "curl -fsS -D - -o /dev/null " + EDGE + path + STATUS;
  }

  private static String purge(String path) {
    return order("POST", "purge", "-H \"Purge-Url: " + EDGE + path + "\"");
  }

  /** Returns the command of an order to the cache. */
  private static String order(String method, String order, String options) {
    return "curl -fsS -X %s -H \"Authorization: Bearer %s\" %s %s/.activecdn/%s"
        .formatted(method, SECRET, options, EDGE, order);
  }

  private void requests(String what, int count) throws IOException {
    expect(what, Integer.toString(count), "curl -fsS " + ORIGIN + "/count");
  }

  /** Has the node run the cache. */
  private void setUp(Bundle bundle) throws IOException {
    stage.order(
        "setup",
        bundle.module() + "_" + bundle.version(),
        "--digest",
        bundle.digest(),
        "--url",
        "http://192.0.2.10/" + bundle.file(),
        "--property",
        "origin=192.0.2.10:8080",
        "--property",
        "connections-per-address=99",
        "--property",
        "proxy-protocol-from=192.0.2.10",
        "--property",
        "access-log-kib=64",
        "--property",
        "disk-mib=16",
        "--property",
        "signed-prefixes=/fast/signed/",
        "--sealed",
        "url-keys=k1:" + URL_KEY,
        "--sealed",
        "admin-secret=" + SECRET,
        "--sealed-file",
        "tls-keys=" + ServerKeys.file(testbed, "server", TLS_NAME),
        "--sealed",
        "tls-password=" + ServerKeys.PASSWORD);
  }

  private String user(String command) throws IOException {
    return run("user", command);
  }

  private String run(String host, String command) throws IOException {
    return testbed.run(host, "timeout", "20", "bash", "-c", command + " || true").strip();
  }

  private void expect(String asked, String expected, String command) throws IOException {
    expect(asked, expected, "user", command);
  }

  private void expect(String asked, String expected, String host, String command)
      throws IOException {
    String answer = run(host, command);
    boolean right = answer.equals(expected);
    holds &= right;
    table.row(asked, expected, answer, right ? "ok" : "WRONG");
  }
}
