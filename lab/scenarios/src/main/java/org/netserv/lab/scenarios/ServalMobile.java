// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Sha256;
import org.netserv.lab.testbed.base.Wait;

/**
 * A client moves while curl downloads by name: to a link that is up, and to one that comes up a
 * while after the first was cut, also behind a NAT. The payload's digest and the names of curl's
 * socket stay. Beside it plain TCP waits for the same link to come back.
 */
public final class ServalMobile implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String CLIENT = "client";
  private static final String ID = "00004001";
  private static final String SERVER = "192.0.2.10";
  private static final String RATE = "tbf rate 40mbit burst 32kb latency 50ms";
  private static final String LINK_DOWN = "ip link set one down";
  private static final int MEGABYTE = 1_000_000;

  /** A download is cut when a tenth of it has come. */
  private static final int TENTH = 10;

  /** Milliseconds behind a move between links that are up, in which the longest gap is sought. */
  private static final int WATCHED = 500;

  private static final int MOVE_TRIES = 20;
  private static final int MOVE_PAUSE = 20;
  private static final int SHORTEST = 50;
  private static final int SECOND = 1000;
  private static final int LONG = 10_000;

  /** A link of the client, its router, and the client as the server sees it there. */
  private enum Way {
    ONE("one", "10.1.0.1", "10.1.0.10"),
    BEHIND_NAT("two", "10.9.0.1", "198.51.100.2"),
    THREE("three", "10.3.0.1", "10.3.0.10");

    private final String link;
    private final String gateway;
    private final String peer;

    Way(String link, String gateway, String peer) {
      this.link = link;
      this.gateway = gateway;
      this.peer = peer;
    }
  }

  /**
   * A download.
   *
   * @param byName false for plain TCP
   * @param to the link that comes up
   * @param cut milliseconds without a link; 0 = the other link is up before the first goes
   */
  private record Trial(boolean byName, Way to, int cut) {}

  private final ResultTable table =
      new ResultTable("download", "cut, ms", "data again, ms", "digest", "names", "peer", "");
  private final List<Trial> trials;
  private final int bytes;
  private Stage stage;
  private Testbed testbed;
  private ServalNode client;
  private ServalNode server;
  private String digest;
  private boolean holds = true;

  private ServalMobile(int bytes, List<Trial> trials) {
    this.bytes = bytes;
    this.trials = trials;
  }

  public static ServalMobile full() {
    return new ServalMobile(
        12 * MEGABYTE,
        List.of(
            new Trial(true, Way.THREE, 0),
            new Trial(true, Way.BEHIND_NAT, 0),
            new Trial(true, Way.THREE, SHORTEST),
            new Trial(true, Way.BEHIND_NAT, SHORTEST),
            new Trial(false, Way.ONE, SHORTEST),
            new Trial(true, Way.THREE, SECOND),
            new Trial(true, Way.BEHIND_NAT, SECOND),
            new Trial(true, Way.ONE, SECOND),
            new Trial(false, Way.ONE, SECOND),
            new Trial(true, Way.THREE, LONG),
            new Trial(true, Way.BEHIND_NAT, LONG),
            new Trial(false, Way.ONE, LONG)));
  }

  public static ServalMobile quick() {
    return new ServalMobile(
        6 * MEGABYTE,
        List.of(
            new Trial(true, Way.BEHIND_NAT, 0),
            new Trial(true, Way.BEHIND_NAT, SECOND),
            new Trial(true, Way.THREE, SHORTEST)));
  }

  @Override
  public String topology() {
    return "serval-mobile";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    stage.step("a NAT, a server and a client that speak Serval");
    translate();
    digest = Payload.write(testbed, bytes);
    server = ServalNode.up(testbed, "server", "eth0");
    server.order("register id=" + ID + " port=80");
    client = ServalNode.up(testbed, CLIENT, Way.ONE.link, Way.BEHIND_NAT.link, Way.THREE.link);
    client.order("name name=web.serval id=" + ID);
    client.order("forward id=" + ID + " to=" + SERVER);
    for (Trial trial : trials) {
      stage.step(name(trial) + ", " + trial.cut() + " ms");
      play(trial);
    }
    stage.show(table);
    return holds;
  }

  private void translate() throws IOException {
    String rules =
        "add table ip nat; add chain ip nat post { type nat hook postrouting priority 100; };"
            + " add rule ip nat post oifname wan masquerade";
    testbed.run("nat", "nft", rules);
    testbed.run("server", ("tc qdisc replace dev eth0 root " + RATE).split(" ", -1));
  }

  private static String name(Trial trial) {
    String to =
        switch (trial.to()) {
          case ONE -> "the same link";
          case BEHIND_NAT -> "a link behind a NAT";
          case THREE -> "another link";
        };
    return (trial.byName() ? "by name, then " : "plain TCP, then ") + to;
  }

  private void play(Trial trial) throws IOException {
    only(Way.ONE);
    Path file = testbed.state().resolve("got");
    String host = trial.byName() ? "web.serval" : SERVER;
    List<String> command =
        client.byName("exec curl -sS -m 60 -o " + file + " http://" + host + "/file");
    try (Download download = Download.start(testbed, CLIENT, command, file)) {
      download.await(bytes / TENTH);
      String names = names();
      long moved = move(trial);
      Wait.until("data again", PATIENCE, () -> download.growsAfter(moved) >= 0);
      boolean same = !names.isBlank() && names.equals(names());
      String peer = trial.byName() ? peer(trial.to()) : "-";
      testbed.run(CLIENT, "sh", "-c", trial.cut() == 0 ? LINK_DOWN : "true");
      int status = download.end();
      long again =
          trial.cut() == 0 ? download.longestGap(moved, WATCHED) : download.growsAfter(moved);
      boolean whole = status == 0 && digest.equals(Sha256.of(file));
      boolean right = whole && same && !peer.equals("WRONG");
      holds &= right;
      table.row(
          name(trial),
          trial.cut() == 0 ? "both up" : trial.cut(),
          trial.cut() == 0 ? "gap " + again : again,
          whole ? "same" : "other",
          same ? "same" : "other",
          peer,
          right ? "ok" : "WRONG");
    }
  }

  /** Brings the client to one link, with the others down. */
  private void only(Way way) throws IOException {
    for (Way other : Way.values()) {
      testbed.run(CLIENT, "ip", "link", "set", other.link, other == way ? "up" : "down");
    }
    testbed.run(CLIENT, "ip", "route", "replace", "default", "via", way.gateway);
  }

  /** Moves the client, and returns when the link to which it moves began to come up. */
  private long move(Trial trial) throws IOException {
    Way to = trial.to();
    String up =
        "ip link set %s up && ip route replace default via %s".formatted(to.link, to.gateway);
    if (trial.cut() == 0) {
      long begin = System.nanoTime();
      testbed.run(CLIENT, "sh", "-c", up);
      return begin;
    }
    testbed.run(CLIENT, "sh", "-c", LINK_DOWN);
    Wait.pause(trial.cut());
    long begin = System.nanoTime();
    testbed.run(CLIENT, "sh", "-c", up);
    return begin;
  }

  /** Returns both ends of curl's connection, as the client's kernel has them. */
  private String names() throws IOException {
    return testbed.run(CLIENT, "sh", "-c", "ss -Htn state established | awk '{print $3, $4}'");
  }

  /** Returns the client's address at the server when the move is over; WRONG if it never is. */
  private String peer(Way way) throws IOException {
    for (int tries = 0; tries < MOVE_TRIES; tries++) {
      for (JsonNode flow : server.view("flows").path("flows")) {
        boolean open = flow.path("state").asText().equals("CONNECTED");
        if (open && flow.path("peer").asText().startsWith(way.peer + ":")) {
          return way.peer;
        }
      }
      Wait.pause(MOVE_PAUSE);
    }
    return "WRONG";
  }
}
