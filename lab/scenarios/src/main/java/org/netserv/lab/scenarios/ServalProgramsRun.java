// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.PlainWeb;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Sha256;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.Capture;
import org.netserv.lab.testbed.capture.SalFrames;

/**
 * Programs as Debian has them speak Serval by name, over two service routers. A capture shows SAL
 * on the wire, and the instance's direct answer.
 */
public final class ServalProgramsRun implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String MODULE = "NetServ.apps.ServiceRouter";
  private static final String NODE = "node";
  private static final String FAR = "far";
  private static final String USER = "user";
  private static final String SERVER = "server";
  private static final String NEAR_ROUTER = "10.1.0.1";
  private static final String FAR_ROUTER = "10.2.0.2";
  private static final int PORT = 54325;
  private static final int WEB_PORT = PlainWeb.PORT;
  private static final String ID = "00004001";
  private static final String UNKNOWN = "00004002";
  private static final String SITE = "http://web.serval:" + WEB_PORT;
  private static final String URL = SITE + "/file";
  private static final String INSTANCE = "c000020a:" + PORT;
  private static final int BYTES = 20_000_000;
  private static final int HOPS = 4;
  private static final int TFTP_BYTES = 300_000;
  private static final int TFTP_BLOCKS = TFTP_BYTES / 512 + 1;

  /** Its text says how much the script has got by name, so a program that runs none shows less. */
  private static final String PAGE =
      """
      <!DOCTYPE html>
      <title>Serval</title>
      <p>A page <b>by name</b>
      <script>
      fetch("small").then(answer => answer.arrayBuffer()).then(bytes => {
        document.querySelector("b").textContent = "and " + bytes.byteLength + " bytes more";
      });
      </script>
      """;

  /** UDP that is shorter has no data of the file, so that the capture misses nothing. */
  private static final String SHORT = "udp port " + PORT + " and udp[4:2] < 400";

  private final ResultTable table = new ResultTable("when", "expected", "seen", "");
  private Stage stage;
  private Testbed testbed;
  private boolean holds = true;

  @Override
  public String topology() {
    return "serval-router";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    stage.step("SETUP of a service router on each node");
    routers();
    stage.step("a web server and sald at the server, sald at the user");
    SalHost server = SalHost.start(testbed, SERVER, "eth0");
    SalHost user = SalHost.start(testbed, USER, "eth0");
    PlainWeb web = PlainWeb.start(testbed, SERVER, PlainWeb.PORT, BYTES);
    Files.writeString(web.file().resolveSibling("page.html"), PAGE);
    server.order("router address=" + FAR_ROUTER);
    server.order("register id=" + ID + " port=" + WEB_PORT);
    Wait.until("the registration", PATIENCE, () -> registered() > 0);
    user.order("forward id=default to=" + NEAR_ROUTER + ":" + PORT);
    user.order("name name=web.serval id=" + ID);
    user.order("name name=nobody.serval id=" + UNKNOWN);
    String digest = web.digest();
    stage.step("curl by name over two routers");
    Capture capture =
        Capture.start(testbed, USER, "eth0", "serval", SHORT + " or tcp port " + WEB_PORT);
    row("curl, digest", digest, user.digest("curl -sS -m 60 " + URL));
    wire(capture);
    stage.step("other programs");
    row("wget, digest", digest, user.digest("wget -q -O - " + URL));
    row("curl over IPv6 surrogates, digest", digest, user.digest("curl -6 -sS -m 60 " + URL));
    many(user);
    more(server, user);
    datagrams(server, user);
    pages(user);
    stage.step("a service that nobody has");
    String code = "curl -s -m 5 http://nobody.serval/ -o /dev/null; echo $?";
    row("curl's exit status, a timeout", "28", user.run(code).strip());
    closed(server);
    stage.show(table);
    return holds;
  }

  private void routers() throws IOException {
    Path jar = LabHome.dist().resolve("apps/service-router.jar");
    stage.deployServer(
        FAR,
        Stage.PUBLISHER,
        jar,
        Map.of("routers", NEAR_ROUTER + ":" + PORT, "registrations", "0000"));
    stage.deployServer(
        NODE,
        Stage.PUBLISHER,
        jar,
        Map.of("routers", FAR_ROUTER + ":" + PORT, "rules", "default=" + FAR_ROUTER + ":" + PORT));
  }

  private long registered() throws IOException {
    try (NodeClient client = testbed.client(FAR)) {
      return GainTraffic.module(client.counters(Stage.PUBLISHER), MODULE)
          .path("counts")
          .path("RULE_OK")
          .asLong();
    }
  }

  /** Reads the packets of one connection at the user. */
  private void wire(Capture capture) throws IOException {
    SalFrames seen = SalFrames.read(capture.frames(), INSTANCE);
    row("frames without SAL", "0", Long.toString(seen.others()));
    row("frames with SAL", "some", seen.sound() > 0 ? "some" : "none");
    row("SYNs", "1", Long.toString(seen.syns()));
    row("SYN-ACKs from the instance itself", "1", Long.toString(seen.answers()));
    row("hops in its list", Integer.toString(HOPS), Long.toString(seen.hops()));
  }

  /** Many short connections, one after the other and together. */
  private void many(SalHost user) throws IOException {
    String one = "curl -sS -m 20 -r 0-99 -o /dev/null -w '%{http_code}\\n' " + URL;
    String all =
        "for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4; do " + one + " & done; wait; done";
    long good = user.run(all).lines().filter(line -> line.equals("206")).count();
    row("40 short connections, 4 at a time", "40", Long.toString(good));
  }

  /** Programs that not every machine has. */
  private void more(SalHost server, SalHost user) throws IOException {
    if (has("ab")) {
      String said = user.run("ab -q -n 200 -c 8 " + URL.replace("/file", "/small"));
      row("ab, 200 requests, failed", "0", found(said, "Failed requests:\\s+(\\d+)"));
      row("ab, 200 requests, complete", "200", found(said, "Complete requests:\\s+(\\d+)"));
    }
    if (has("iperf3")) {
      service(server, user, "iperf", "00005201", 5201, "tcp", List.of("iperf3", "-s"));
      for (String way : List.of("", "-R")) {
        String said = user.run("iperf3 -c iperf.serval -n 8M " + way);
        // Its numbers of bytes depend on its blocks, so the end of the run is what counts.
        row(("iperf3 " + way).strip(), "iperf Done.", found(said, "(iperf Done\\.)"));
      }
    }
    if (has("memcached")) {
      List<String> command = List.of("memcached", "-u", "root", "-U", "0");
      service(server, user, "cache", "00006211", 11211, "tcp", command);
      String talk = "set k 0 0 5\\r\\nhello\\r\\nget k\\r\\nquit\\r\\n";
      String connection = "exec 3<>/dev/tcp/cache.serval/11211";
      String said = user.run("bash -c '" + connection + "; printf \"" + talk + "\" >&3; cat <&3'");
      row("memcached, set and get", "hello", found(said, "VALUE k 0 5\\s+(hello)\\s+END"));
    }
  }

  /** A server of TFTP answers from a new port each time, and the client goes on there. */
  private void datagrams(SalHost server, SalHost user) throws IOException {
    if (!has("tftp") || !has("in.tftpd")) {
      return;
    }
    Path directory = Files.createDirectories(testbed.state().resolve("tftp"));
    byte[] content = new byte[TFTP_BYTES];
    new Random(18).nextBytes(content);
    Files.write(directory.resolve("file"), content);
    Path got = testbed.state().resolve("tftp-got");
    String options = "--listen --foreground --address :69 --secure " + directory;
    List<String> command = new ArrayList<>(List.of("in.tftpd"));
    command.addAll(List.of(options.split(" ", -1)));
    service(server, user, "tftp", "00000069", 69, "udp", command);
    Capture capture =
        Capture.start(testbed, USER, "eth0", "tftp", "udp port " + PORT + " or udp port 69");
    user.run("tftp -m binary tftp.serval -c get file " + got);
    SalFrames seen = SalFrames.read(capture.frames(), INSTANCE);
    row("tftp, digest", Sha256.of(content), Sha256.of(got));
    row("tftp, frames without SAL", "0", Long.toString(seen.others()));
    long direct = Math.min(TFTP_BLOCKS, seen.datagrams());
    row("tftp, blocks from the instance itself", TFTP_BLOCKS + "", Long.toString(direct));
  }

  /** Programs that show a page. */
  private void pages(SalHost user) throws IOException {
    String page = SITE + "/page.html";
    if (has("elinks")) {
      String said = user.run("elinks -no-home 1 -dump 1 " + page);
      row("elinks, its text", "by name", found(said, "A page (by name)"));
    }
    if (has("chromium")) {
      String browser = "chromium --headless=new --no-sandbox --disable-gpu --user-data-dir=";
      String said =
          user.run(
              "HOME=%1$s %2$s%1$s --virtual-time-budget=10000 --dump-dom %3$s 2>/dev/null"
                  .formatted(testbed.state().resolve("browser"), browser, page));
      row("chromium, by its script", "100 bytes", found(said, "and (100 bytes) more"));
    }
  }

  /** Starts a server's program and registers it. */
  private void service(
      SalHost server,
      SalHost user,
      String name,
      String id,
      int port,
      String protocol,
      List<String> command)
      throws IOException {
    long before = registered();
    Tool.start(testbed, SERVER, name, command);
    server.order("register id=" + id + " port=" + port + " protocol=" + protocol);
    user.order("name name=" + name + ".serval id=" + id);
    Wait.until("the registration of " + name, PATIENCE, () -> registered() > before);
    String listens = "ss -Hln --" + protocol + " sport = :" + port;
    Wait.until(name, PATIENCE, () -> !testbed.run(SERVER, "sh", "-c", listens).isBlank());
  }

  private boolean has(String program) throws IOException {
    String ask = "command -v " + program + " || true";
    boolean there = !testbed.run(USER, "sh", "-c", ask).isBlank();
    if (!there) {
      table.row(program, "-", "not installed", "-");
    }
    return there;
  }

  private static String found(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    return matcher.find() ? matcher.group(1) : "none in: " + text;
  }

  /** The flows of a server's connections end by themselves. */
  private void closed(SalHost server) throws IOException {
    Wait.until("open flows to end", PATIENCE, () -> open(server) == 0);
    row("flows left open at the server", "0", Long.toString(open(server)));
  }

  private static long open(SalHost host) throws IOException {
    long open = 0;
    for (JsonNode flow : host.view("flows").path("flows")) {
      open += flow.path("state").asText().equals("CONNECTED") ? 1 : 0;
    }
    return open;
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
