// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.tool.RtpCallee;
import org.netserv.lab.testbed.tool.RtpCaller;

/** Calls through the relay, and peers that it must refuse. */
final class RelayCall {
  private static final String SERVER = "198.51.101.1";
  private static final String PEER = "203.0.113.10";
  private static final int RTP = 4000;
  private static final int PER_SECOND = 50;
  private static final int SECONDS_MORE = 40;
  private static final int FORBIDDEN = 403;

  private final Stage stage;
  private final Testbed testbed;
  private final String secret;

  RelayCall(Stage stage, String secret) {
    this.stage = stage;
    this.testbed = stage.testbed();
    this.secret = secret;
  }

  /**
   * A call from a private address behind a NAT that gives each destination another port. Each RTP
   * packet must come there and back unchanged, and the callee must see the relay's address alone.
   */
  boolean fromBehindTheNat(int packets) throws IOException {
    symmetric(testbed);
    Call call = new Call("caller", packets);
    Map<String, Long> near = call.caller.result(packets / PER_SECOND + SECONDS_MORE);
    Map<String, Long> far = call.callee.result(SECONDS_MORE);
    String from = call.from();
    boolean holds =
        near.get("back") == packets
            && near.get("wrong") == 0
            && far.get("received") == packets
            && far.get("wrong") == 0
            && from.equals(SERVER);
    ResultTable table =
        new ResultTable("RTP packets", "at the callee", "back", "changed", "callee saw", "");
    table.row(
        packets,
        far.get("received"),
        near.get("back"),
        near.get("wrong") + far.get("wrong"),
        from,
        holds ? "ok" : "FAILED");
    stage.show(table);
    return holds;
  }

  /** Makes the NAT give each destination another port. */
  static void symmetric(Testbed testbed) throws IOException {
    testbed.run("nat", "nft", "add", "table", "ip", "symmetric");
    testbed.run(
        "nat",
        "nft",
        "add chain ip symmetric leaving { type nat hook postrouting priority srcnat - 10; }");
    testbed.run("nat", "nft", "add rule ip symmetric leaving oifname wan masquerade fully-random");
  }

  /** Permissions for addresses that must be refused, and for one that must not. */
  boolean refusals() throws IOException {
    Map<String, String> refused = new LinkedHashMap<>();
    refused.put("127.0.0.1", "loopback");
    refused.put("169.254.169.254", "link-local, metadata");
    refused.put("224.0.0.1", "multicast");
    refused.put("198.51.101.1", "relayed address of this relay");
    refused.put("203.0.113.1", "the node, where another publisher listens");
    refused.put("192.0.2.1", "the node");
    refused.put("10.9.0.10", "private");
    refused.put("0.0.0.0", "unspecified");
    refused.put("255.255.255.255", "broadcast");
    refused.put("100.64.1.2", "a neighbouring container");
    List<Object> arguments = new ArrayList<>(List.of(SERVER, secret, "permit", PEER));
    arguments.addAll(refused.keySet());
    String name = stage.unique("permits");
    Tool tool = Tool.start(testbed, "user", name, RtpCaller.class, arguments.toArray());
    tool.result(SECONDS_MORE);
    Map<String, Integer> codes = new HashMap<>();
    for (String line : testbed.tail("user", name, 40).split("\n", -1)) {
      if (line.matches("[0-9.]+ -?[0-9]+")) {
        String[] words = line.split(" ", -1);
        codes.put(words[0], Integer.parseInt(words[1]));
      }
    }
    ResultTable table = new ResultTable("peer", "is", "answer", "");
    boolean holds = row(table, PEER, "a peer", codes, 0);
    for (Map.Entry<String, String> entry : refused.entrySet()) {
      holds &= row(table, entry.getKey(), entry.getValue(), codes, FORBIDDEN);
    }
    stage.show(table);
    return holds;
  }

  /**
   * Reads the names by which the relay has counted what {@link #refusals} asked for. After its next
   * start or end.
   */
  boolean named() throws IOException {
    Map<String, Integer> expected = new LinkedHashMap<>();
    expected.put("PEER_LOOPBACK", 1);
    expected.put("PEER_LINK_LOCAL", 1);
    expected.put("PEER_MULTICAST", 1);
    expected.put("PEER_RELAYED", 1);
    expected.put("PEER_NODE", 2);
    expected.put("PEER_PRIVATE", 2);
    expected.put("PEER_UNSPECIFIED", 2);
    RelayLog log = RelayLog.of(testbed);
    ResultTable table = new ResultTable("refused by the name of", "asked", "refused", "");
    boolean holds = true;
    for (Map.Entry<String, Integer> entry : expected.entrySet()) {
      long counted = log.last(entry.getKey());
      boolean right = counted >= entry.getValue();
      table.row(entry.getKey(), entry.getValue(), counted, right ? "ok" : "WRONG");
      holds &= right;
    }
    stage.show(table);
    return holds;
  }

  private static boolean row(
      ResultTable table, String peer, String what, Map<String, Integer> codes, int expected) {
    int code = codes.getOrDefault(peer, -1);
    boolean right = code == expected;
    table.row(peer, what, code == 0 ? "permitted" : code, right ? "ok" : "WRONG");
    return right;
  }

  /** A callee and a caller of it. */
  private final class Call {
    private final String calleeName = stage.unique("callee");
    private final Tool callee;
    private final Tool caller;

    private Call(String from, int packets) throws IOException {
      callee =
          Tool.start(testbed, "peer", calleeName, RtpCallee.class, RTP, packets).await("ready");
      caller =
          Tool.start(
              testbed,
              from,
              stage.unique("call"),
              RtpCaller.class,
              SERVER,
              secret,
              "call",
              PEER,
              RTP,
              packets);
    }

    /** Returns the addresses from which the callee was called. */
    private String from() {
      for (String line : testbed.tail("peer", calleeName, 5).split("\n", -1)) {
        if (line.startsWith("from ")) {
          return line.substring("from ".length());
        }
      }
      return "";
    }
  }
}
