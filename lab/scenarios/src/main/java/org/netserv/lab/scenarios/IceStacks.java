// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.tool.TurnUser;
import org.netserv.lab.testbed.tool.WebRtcPair;

/**
 * Two ends of a call that know the relay alone, on ICE stacks of others: the one that browsers
 * have, and aioice, on which aiortc stands. The rows are the ways of a client to a TURN server.
 */
final class IceStacks {
  private static final String SERVER = "198.51.101.1";
  private static final String SERVER_6 = "2001:db8:2::1";
  private static final int PORT = 3478;
  private static final int TLS_PORT = 5349;
  private static final int MESSAGES = 100;
  private static final int PATIENCE_SECONDS = 90;

  /** A way from the client to the server. */
  private record Way(String transport, String server) {
    private int port() {
      return transport.equals("tls") ? TLS_PORT : PORT;
    }

    private boolean v6() {
      return server.contains(":");
    }

    /** Returns the URI of RFC 7065. */
    private String uri() {
      return String.format(
          "%s:%s:%d?transport=%s",
          transport.equals("tls") ? "turns" : "turn",
          v6() ? "[" + server + "]" : server,
          port(),
          transport.equals("udp") ? "udp" : "tcp");
    }
  }

  private static final List<Way> WAYS =
      List.of(
          new Way("udp", SERVER),
          new Way("tcp", SERVER),
          new Way("tls", SERVER),
          new Way("udp", SERVER_6));

  private final Stage stage;
  private final String secret;
  private final ResultTable table =
      new ResultTable("stack", "client leg", "relayed candidates", "sent", "came back", "");
  private boolean holds = true;

  IceStacks(Stage stage, String secret) {
    this.stage = stage;
    this.secret = secret;
  }

  /** Plays each way on each stack. Returns true if every message has come back. */
  boolean play() throws IOException {
    for (Way way : WAYS) {
      row("WebRTC", way, webRtc(way));
      row("aioice", way, aioice(way));
    }
    stage.show(table);
    return holds;
  }

  private Tool webRtc(Way way) throws IOException {
    return Tool.start(
        stage.testbed(),
        "user",
        stage.unique("webrtc"),
        WebRtcPair.class,
        way.uri(),
        secret,
        MESSAGES);
  }

  private Tool aioice(Way way) throws IOException {
    TurnUser user = TurnUser.of(secret, "aioice");
    return Tool.start(
        stage.testbed(),
        "user",
        stage.unique("aioice"),
        List.of(
            "env",
            "PYTHONPATH=" + LabHome.home().resolve("target/aioice"),
            "python3",
            LabHome.file("clients/ice_pair.py").toString(),
            way.server(),
            Integer.toString(way.port()),
            way.transport(),
            user.name(),
            user.password(),
            Integer.toString(MESSAGES)));
  }

  private void row(String stack, Way way, Tool tool) throws IOException {
    Map<String, Long> said = tool.result(PATIENCE_SECONDS);
    boolean passes = said.get("back") == MESSAGES && said.get("relayed") >= 2;
    holds &= passes;
    table.row(
        stack,
        way.transport() + (way.v6() ? ", IPv6" : ""),
        said.get("relayed"),
        said.get("sent"),
        said.get("back"),
        passes ? "ok" : "FAILED");
  }
}
