// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;

/**
 * Checks two publishers with server modules on port 80, each on an address of the node that the
 * policy gives it. curl must get each server's answer at its own address and nowhere else. After
 * REMOVE it must get none. Then checks a server on UDP that receives and sends in batches, and one
 * on Netty that sends a file from the disk and over TLS.
 */
public final class Servers implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int ECHOED = 4000; // datagrams
  private static final int ECHOED_RATE = 8000; // a second

  /** SHA-256 of the module NettyFiles' file, its first half: byte i is i modulo 251, 4 MiB. */
  private static final String FILE_DIGEST = "a117210941a0b00d";

  private static final String NOBODY = "-";
  private static final String FIRST = Stage.PUBLISHER;
  private static final String SECOND = "other";

  private final ResultTable table = new ResultTable("when", "asked", "expected", "answer", "");
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
    stage.step("build a server module; nobody runs it yet");
    Path module =
        HostileBundle.build("Server", testbed.state(), "org.osgi.framework,com.sun.net.httpserver");
    all("before", NOBODY, NOBODY);
    stage.step("SETUP by " + FIRST);
    Bundle first = stage.deployServer("node", FIRST, module, Map.of());
    all("one runs", FIRST, NOBODY);
    stage.step("SETUP by " + SECOND);
    Bundle second = stage.deployServer("node", SECOND, module, Map.of());
    all("both run", FIRST, SECOND);
    stage.step("REMOVE by " + FIRST);
    stage.remove(FIRST, first);
    all("one removed", NOBODY, SECOND);
    stage.remove(SECOND, second);
    all("both removed", NOBODY, NOBODY);
    stage.step("SETUP of an echo server on UDP, in batches");
    Path echo = HostileBundle.build("Echo", testbed.state(), "org.osgi.framework,org.netserv.io");
    Bundle third = stage.deployServer("node", FIRST, echo, Map.of());
    echoes("10.1.0.1", "icmp=3/3 port=9");
    echoes("2001:db8:1::1", "icmp=1/4 port=9");
    stage.remove(FIRST, third);
    stage.step("SETUP of a server on Netty: a file from the disk, and over TLS");
    netty();
    stage.show(table);
    return holds;
  }

  /**
   * Asks all three addresses. The first and the second must answer with the given servers, and the
   * third must never answer.
   */
  private void all(String when, String first, String second) throws IOException {
    List<String> expected = List.of(first, second, NOBODY);
    for (int i = 0; i < expected.size(); i++) {
      asks(when, "10.1.0." + (i + 1), expected.get(i), "10.1.0.10");
      asks(when, "[2001:db8:1::" + (i + 1) + "]", expected.get(i), "2001:db8:1:0:0:0:0:10");
    }
  }

  private void asks(String when, String address, String server, String user) throws IOException {
    String expected = server.equals(NOBODY) ? NOBODY : server + " " + user;
    try {
      Wait.until("the answer", PATIENCE, () -> curl(address).equals(expected));
    } catch (LabException e) {
      holds = false;
    }
    String answer = curl(address);
    table.row(when, address, expected, answer, answer.equals(expected) ? "ok" : "WRONG");
  }

  /**
   * Asks the echo server how it works, and sends it datagrams, all of which must come back. Then
   * has it send to a closed port, and asks for the ICMP error.
   */
  private void echoes(String address, String unreachable) throws IOException {
    expect(address, "batched", ask(address, "?"));
    String tool = LabHome.dist().resolve("bin/lab-udp").toString();
    String sent = "sent=" + ECHOED + " answered=" + ECHOED;
    expect(
        address, sent, "%s echo 4000 %s 7 %d %d e".formatted(tool, address, ECHOED, ECHOED_RATE));
    expect(address, "", ask(address, "!x"));
    expect(address, unreachable, ask(address, "!"));
  }

  private static String ask(String address, String question) {
    String answer = "timeout 2 dd bs=64 count=1 status=none <&3";
    return "exec 3<>/dev/udp/%s/7; echo -n %s >&3; %s".formatted(address, question, answer);
  }

  /** Asks a server on Netty for a file, whose every byte must come, in both families. */
  private void netty() throws IOException {
    Path module =
        HostileBundle.build(
            "NettyFiles",
            testbed.state(),
            "org.osgi.framework,org.osgi.service.cm,javax.net.ssl,io.netty.bootstrap,"
                + "io.netty.buffer,io.netty.channel,io.netty.channel.nio,io.netty.channel.socket,"
                + "io.netty.channel.socket.nio,io.netty.handler.ssl,io.netty.util,"
                + "io.netty.util.concurrent");
    Bundle bundle =
        stage.deployServer(
            "node", FIRST, module, Map.of("keys", ServerKeys.make(testbed, "server", "node")));
    for (String address : List.of("10.1.0.1", "[2001:db8:1::1]")) {
      for (String scheme : List.of("http", "https")) {
        String url = scheme + "://" + address + "/";
        expect(url, FILE_DIGEST, "curl -gksS %s | sha256sum | cut -c1-16".formatted(url));
      }
    }
    stage.remove(FIRST, bundle);
  }

  private void expect(String address, String expected, String command) throws IOException {
    String answer =
        testbed.run("user", "bash", "-c", "timeout 10 bash -c '" + command + "' || true").strip();
    boolean right = answer.equals(expected);
    holds &= right;
    table.row("echo", address, expected, answer, right ? "ok" : "WRONG");
  }

  private String curl(String address) throws IOException {
    String url = "http://" + address + "/";
    String said =
        testbed.run(
            "user", "sh", "-c", "curl -gsS -m 2 '" + url + "' 2>/dev/null || echo " + NOBODY);
    return said.strip();
  }
}
