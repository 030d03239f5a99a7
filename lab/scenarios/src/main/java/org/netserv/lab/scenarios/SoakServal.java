// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.time.Duration;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;

/**
 * Programs of Serval beside the other traffic of a soak, in rounds of a thread of their own. Each
 * round has a download by name whose client moves from one link to the other, and an instance that
 * registers at the service router, serves downloads, and leaves. Nothing may be left of a round.
 *
 * <p>{@link #begin}, {@link #warm} and {@link #end} are for one other thread.
 */
final class SoakServal {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Longer than the minute in which a closed flow rests. */
  private static final Duration FLOWS_END = Duration.ofSeconds(80);

  private static final int DOWNLOADS_OF_A_VISIT = 2;

  /** Rounds before which caches are not filled and code is not compiled. */
  private static final int FIRST_ROUNDS = 2;

  /** The first SYN to an instance finds no link address, and goes to the module. */
  private static final int MOST_BY_MODULE = 5;

  private final Stage stage;
  private final SoakHosts hosts;
  private final Thread thread = new Thread(this::rounds, "soak-serval");
  private volatile boolean ending;
  private volatile boolean warmWanted;
  private volatile IOException failure;
  private volatile SoakState warm;
  private int rounds;
  private int downloads;
  private int wrong;
  private int unmoved;
  private int stayed;

  private SoakServal(Stage stage, SoakHosts hosts) {
    this.stage = stage;
    this.hosts = hosts;
  }

  /** Deploys the service router and starts the hosts. No round begins yet. */
  static SoakServal start(Stage stage) throws IOException {
    return new SoakServal(stage, SoakHosts.start(stage));
  }

  /** Begins the rounds. */
  void begin() {
    thread.setDaemon(true);
    thread.start();
  }

  /** Keeps the state behind the round that runs, to compare the end with, unless there is one. */
  void warm() {
    warmWanted = true;
  }

  /**
   * Ends the rounds and shows their result.
   *
   * @return whether all downloads were right and nothing has grown
   * @throws LabException if a round failed, or none was there to compare with
   */
  boolean end() throws IOException {
    ending = true;
    Wait.until("the last round of Serval", PATIENCE, () -> !thread.isAlive());
    if (failure != null) {
      throw failure;
    }
    if (warm == null) {
      throw new LabException("no round of Serval ended in time: the machine is too busy");
    }
    SoakState last = SoakState.take(hosts);
    ResultTable table = new ResultTable("Serval", "", "allowed", "");
    Wait.reaches(FLOWS_END, () -> hosts.flows() == 0);
    long byModule = Math.max(0, downloads - hosts.routed());
    boolean holds = row(table, "downloads with another digest, of " + downloads, wrong, 0);
    holds &= row(table, "moves without the client's new address, of " + rounds, unmoved, 0);
    holds &= row(table, "instances whose rule stayed, of " + rounds, stayed, 0);
    holds &= row(table, "SYNs past the router's kernel", byModule, downloads / MOST_BY_MODULE);
    holds &= row(table, "flows in the end", hosts.flows(), 0);
    stage.show(table);
    return last.flat(warm, stage) && holds;
  }

  private static boolean row(ResultTable table, String what, long value, long most) {
    table.row(what, value, most, value <= most ? "ok" : "WRONG");
    return value <= most;
  }

  private void rounds() {
    try {
      while (!ending) {
        move();
        visit();
        rounds++;
        if (warm == null && warmWanted && rounds > FIRST_ROUNDS) {
          warm = SoakState.take(hosts);
        }
      }
    } catch (IOException e) {
      failure = e;
    }
  }

  /** Moves the client while it downloads. A move cuts the old link before the new one, or not. */
  private void move() throws IOException {
    SoakHosts.Slow slow = hosts.slow();
    boolean moved = hosts.move(rounds % 2 == 1);
    unmoved += moved ? 0 : 1;
    count(slow.digest());
  }

  /** Has an instance come, serve and leave. */
  private void visit() throws IOException {
    long before = hosts.rules();
    hosts.come(before + 1);
    for (int i = 0; i < DOWNLOADS_OF_A_VISIT; i++) {
      count(hosts.download());
    }
    stayed += hosts.leave(before) ? 0 : 1;
  }

  private void count(String digest) {
    downloads++;
    wrong += digest.equals(hosts.digest()) ? 0 : 1;
  }
}
