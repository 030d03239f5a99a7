// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.netserv.lab.testbed.base.Wait;

/** Sends the messages of {@link OnPath} on one of the path topologies. */
public final class PathRun implements Scenario {
  private static final List<String> ALL = List.of("a", "b", "c");
  private static final List<String> BACK = List.of("c", "b", "a");
  private static final int TRIES = 3;

  /** The daemon reports its counters every 2 s. */
  private static final int COUNTERS_MILLIS = 3000;

  private final String topology;
  private final Rounds rounds;

  private PathRun(String topology, Rounds rounds) {
    this.topology = topology;
    this.rounds = rounds;
  }

  private interface Rounds {
    void play(PathStage path, PathChecks checks) throws IOException;
  }

  /**
   * Returns the run of all messages over IPv4 and IPv6. The command line sends the first SETUP in
   * the publisher's place.
   */
  public static Scenario plain() {
    return new PathRun("path", PathRun::plain);
  }

  /** Returns the run on links that lose, reorder and double 10 % each way. */
  public static Scenario lossy() {
    return new PathRun("path-lossy", PathRun::lossy);
  }

  /** Returns the run in which packets from the user's side take another way back, past b. */
  public static Scenario asymmetric() {
    return new PathRun("path-asymmetric", PathRun::asymmetric);
  }

  /**
   * Returns the run with a NAT at the user's edge. Over IPv4 the path leads to the NAT's address,
   * over IPv6 to the user.
   */
  public static Scenario nat() {
    return new PathRun("path-nat", PathRun::nat);
  }

  @Override
  public String topology() {
    return topology;
  }

  @Override
  public boolean play(Stage stage) throws IOException {
    try (PathStage path = PathStage.open(stage)) {
      PathChecks checks = new PathChecks(path);
      rounds.play(path, checks);
      for (String node : path.nodes()) {
        int twice = path.acceptedTwice(node);
        checks.fact("accepted twice by " + node + ", says its audit log", "" + twice, twice == 0);
      }
      boolean holds = checks.show();
      if (!holds) {
        Wait.pause(COUNTERS_MILLIS);
        for (String node : path.nodes()) {
          stage.out().println("  " + node + " counted " + path.counted(node));
        }
      }
      return holds;
    }
  }

  private static OnPath round(PathStage path, PathChecks checks, boolean v6) {
    return new OnPath(path, checks, v6, path.address("user", v6));
  }

  private static void plain(PathStage path, PathChecks checks) throws IOException {
    OnPath v4 = round(path, checks, false);
    new CommandRound(path, checks).play(path.address("user", false), ALL);
    v4.last("c");
    v4.trigger("c", BACK);
    OnPath v6 = round(path, checks, true);
    v6.all(ALL);
    v6.last("c");
    v6.trigger("c", BACK);
  }

  /**
   * Plays the lossy links. A handshake over two such links fails once in 200, and there are some
   * twenty.
   */
  private static void lossy(PathStage path, PathChecks checks) throws IOException {
    new OnPath(path, checks, false, path.address("user", false), TRIES).all(ALL);
    OnPath v6 = new OnPath(path, checks, true, path.address("user", true), TRIES);
    v6.all(ALL);
    v6.trigger("c", BACK);
  }

  private static void asymmetric(PathStage path, PathChecks checks) throws IOException {
    List<String> back = List.of("c", "a");
    round(path, checks, false).all(ALL);
    round(path, checks, false).trigger("c", back);
    round(path, checks, true).all(ALL);
  }

  private static void nat(PathStage path, PathChecks checks) throws IOException {
    InetAddress outside = path.address("nat", false);
    OnPath v4 = new OnPath(path, checks, false, outside);
    v4.all(ALL);
    v4.last("c");
    v4.trigger("c", BACK);
    round(path, checks, true).all(ALL);
  }
}
