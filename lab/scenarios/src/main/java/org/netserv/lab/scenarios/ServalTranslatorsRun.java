// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.PlainWeb;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.VethCard;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.Capture;
import org.netserv.lab.testbed.capture.SalFrames;
import org.netserv.lab.testbed.tool.DigestCrowd;
import org.netserv.lab.testbed.tool.DigestServer;

/**
 * Translators between TCP and Serval in containers of two nodes. curl and nginx, which know nothing
 * of Serval, talk over both in a row, and over each alone with sald at the other end. A host
 * without sald finds services by names that its resolver, a translator, answers. A container that
 * is killed comes back by itself, and a REMOVE waits for the transfer that is under way.
 */
public final class ServalTranslatorsRun implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String MODULE = "NetServ.apps.Translator";
  private static final String ROUTER = "NetServ.apps.ServiceRouter";
  private static final String NODE = "node";
  private static final String FAR = "far";
  private static final String USER = "user";
  private static final String SERVER = "server";
  private static final String NEAR = "10.1.0.1";
  private static final String FAR_ROUTER = "10.2.0.2:54325";
  private static final String FAR_ENDPOINT = "10.2.0.2:54326";
  private static final String FAR_SOCKET = "0a020002:54326"; // as in SalFrames
  private static final int WEB_PORT = 8080;
  private static final int DIGEST_PORT = 9000;
  private static final String SALD_SHOP = "00004001";
  private static final String SHOP = "00004002";
  private static final String DIGESTS = "00004003";
  private static final String NOBODYS = "00004004";
  private static final int BYTES = 8_000_000;
  private static final int CLIENTS = 100;
  private static final int CLIENT_BYTES = 100_000;

  /** Of a connection that is cut: empty answer, partial file, error of receiving. */
  private static final List<String> CUT = List.of("52", "18", "56");

  /** UDP that is shorter has no data of the file, so that the capture misses nothing. */
  private static final String WIRE = "udp port 54326 and udp[4:2] < 400 or tcp";

  private final ResultTable table = new ResultTable("when", "expected", "seen", "");
  private Stage stage;
  private Testbed testbed;
  private String digest;
  private PlainNames plain;
  private boolean holds = true;

  @Override
  public String topology() {
    return "serval-translators";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    plain = new PlainNames(testbed, this::row);
    stage.step("servers, and SETUP of a translator on each node");
    PlainWeb web = PlainWeb.start(testbed, SERVER, WEB_PORT, BYTES);
    Tool.start(testbed, SERVER, "digests", DigestServer.class, DIGEST_PORT).await("ready");
    digest = web.digest();
    Bundle near = modules();
    wholeChecksums();
    SalHost server = SalHost.start(testbed, SERVER, "eth0");
    server.order("router address=10.2.0.2");
    server.order("register id=" + SALD_SHOP + " port=" + WEB_PORT);
    SalHost user = SalHost.start(testbed, USER, "eth0");
    user.order("forward id=default to=" + FAR_ROUTER);
    user.order("name name=shop.serval id=" + SHOP);
    Wait.until("registrations", PATIENCE, () -> count(FAR, ROUTER, "RULE_OK") >= 3);
    stage.step("curl over two translators in a row, and over each alone");
    Capture capture = Capture.start(testbed, FAR, "mid", "wire", WIRE);
    row("curl, both in a row, digest", digest, sum(url(8080)));
    wire(capture);
    row("curl, TCP to Serval alone, digest", digest, sum(url(8081)));
    String shop = "curl -sS -m 20 http://shop.serval:" + WEB_PORT + "/file | sha256sum";
    row("curl, Serval to TCP alone, digest", digest, user.run(shop).split(" ", 2)[0]);
    stage.step("many connections that close by half");
    many();
    names();
    stage.step("a service that nobody has");
    String code = "curl -s -m 20 -o /dev/null http://%s:8083/; echo $?".formatted(NEAR);
    row("curl's exit status, a reset", "56", testbed.run(USER, "sh", "-c", code).strip());
    Wait.until("its name", PATIENCE, () -> count(NODE, MODULE, "CONNECT_LATE") == 1);
    killed();
    plain.fetch(digest);
    removed(near);
    plain.without();
    stage.show(table);
    return holds;
  }

  /**
   * Gives all ends cards, for TCP's checksum in a packet of sald, which a module verifies, and for
   * UDP's in a packet of a module, which sald takes off.
   */
  private void wholeChecksums() throws IOException {
    for (String end : List.of("user/eth0", "server/eth0", "far/core", "far/mid", "node/lan")) {
      String[] parts = end.split("/", 2);
      new VethCard(testbed, parts[0], parts[1]).addsChecksums();
    }
  }

  private Bundle modules() throws IOException {
    Path translator = LabHome.dist().resolve("apps/translator.jar");
    Path router = LabHome.dist().resolve("apps/service-router.jar");
    stage.deployServer(FAR, Stage.PUBLISHER, router, Map.of("registrations", "0000"));
    String server = "=192.0.2.10:";
    stage.deployServer(
        FAR,
        Stage.PUBLISHER,
        translator,
        Map.of(
            "address",
            FAR_ENDPOINT,
            "router",
            "own:54325",
            "from-serval",
            SHOP + server + WEB_PORT + " " + DIGESTS + server + DIGEST_PORT));
    Map<String, String> properties = new HashMap<>(PlainNames.properties());
    properties.put("address", NEAR + ":54326");
    properties.put("router", FAR_ROUTER);
    properties.put("connect-seconds", "4");
    properties.put(
        "to-serval",
        "8080=%s 8081=%s 8082=%s 8083=%s %s"
            .formatted(SHOP, SALD_SHOP, DIGESTS, NOBODYS, PlainNames.service(SHOP)));
    return stage.deployServer(NODE, Stage.PUBLISHER, translator, PlainNames.TAKE, properties);
  }

  private static String url(int port) {
    return "http://" + NEAR + ":" + port + "/file";
  }

  private String sum(String url) throws IOException {
    String command = "curl -sS -m 20 " + url + " | sha256sum";
    return testbed.run(USER, "sh", "-c", command).split(" ", 2)[0];
  }

  /** Reads the packets of one connection between the nodes. */
  private void wire(Capture capture) throws IOException {
    SalFrames seen = SalFrames.read(capture.frames(), FAR_SOCKET);
    row("frames without SAL between the nodes", "0", Long.toString(seen.others()));
    row("frames with SAL", "some", seen.sound() > 0 ? "some" : "none");
    row("SYN-ACKs from the far translator", "1", Long.toString(seen.answers()));
  }

  private void many() throws IOException {
    Tool crowd =
        Tool.start(testbed, USER, "crowd", DigestCrowd.class, NEAR, 8082, CLIENTS, CLIENT_BYTES);
    Map<String, Long> result = crowd.result(60);
    row("right digests of " + CLIENTS + " connections", CLIENTS, result.get("right"));
  }

  /** A host that has nothing of ours reaches services by names. */
  private void names() throws IOException {
    stage.step("names for a host that has nothing of ours");
    plain.ask();
    plain.fetch(digest);
    long other = count(NODE, MODULE, "DNS_MALFORMED") + count(NODE, MODULE, "DNS_FULL");
    row("questions that are none, or find no place", 0, other);
    row("connections to an address without a service", 0, count(NODE, MODULE, "NO_SERVICE"));
  }

  /** The container near the user is killed in the middle of a transfer. */
  private void killed() throws IOException {
    stage.step("kill -9 of the container near the user, in the middle of a transfer");
    Tool transfer = Tool.start(testbed, USER, "cut", slow("cut", 1));
    Wait.until("the transfer", PATIENCE, () -> Files.exists(Path.of(state("cut"))));
    NodeProcesses.of(testbed, NODE).end("container");
    Wait.until("the end of the transfer", PATIENCE, () -> !transfer.running());
    String status = testbed.run(USER, "cat", state("cut.status")).strip();
    row("curl's exit status, cut", "cut", CUT.contains(status) ? "cut" : status);
    Wait.until("the service again", PATIENCE, () -> sum(url(8080)).equals(digest));
    row("curl after the restart, digest", digest, sum(url(8080)));
  }

  /** The translator near the user is removed in the middle of a transfer. */
  private void removed(Bundle near) throws IOException {
    stage.step("REMOVE of the translator near the user, in the middle of a transfer");
    Tool transfer = Tool.start(testbed, USER, "drained", slow("drained", 4));
    Wait.until("the transfer", PATIENCE, () -> Files.exists(Path.of(state("drained"))));
    stage.remove(near);
    Wait.until("the end of the transfer", PATIENCE, () -> !transfer.running());
    row("its exit status", "0", testbed.run(USER, "cat", state("drained.status")).strip());
    String sum = testbed.run(USER, "sha256sum", state("drained")).split(" ", 2)[0];
    row("its digest", digest, sum);
    String code = "curl -s -m 2 -o /dev/null " + url(8080) + "; echo $?";
    String status = testbed.run(USER, "sh", "-c", code).strip();
    row("curl without a translator", "fails", status.equals("0") ? "succeeds" : "fails");
  }

  /** Returns the command of a transfer of so many megabytes a second. */
  private List<String> slow(String name, int megabytes) {
    String rate = "?rate=" + megabytes + "m -o ";
    String command = "curl -sS -m 60 " + url(8080) + rate + state(name);
    return List.of("sh", "-c", command + "; echo $? > " + state(name + ".status"));
  }

  private String state(String file) {
    return testbed.state().resolve(file).toString();
  }

  private long count(String node, String module, String counter) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return GainTraffic.module(client.counters(Stage.PUBLISHER), module)
          .path("counts")
          .path(counter)
          .asLong();
    }
  }

  private void row(String when, long expected, long seen) {
    row(when, Long.toString(expected), Long.toString(seen));
  }

  private void row(String when, String expected, String seen) {
    boolean right = expected.equals(seen);
    holds &= right;
    table.row(when, shown(expected), shown(seen), right ? "ok" : "WRONG");
  }

  private static String shown(String text) {
    return text.length() > 12 ? text.substring(0, 12) : text;
  }
}
