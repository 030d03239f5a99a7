// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.netserv.controller.loop.Loop;

/**
 * One publisher's container as {@link Containers} knows it. Only Containers and its parts write the
 * fields, and others read them. On the loop.
 */
public final class Container {
  static final long SOON = 20;
  static final long FIRST_BACKOFF = 1_000;
  static final long LAST_BACKOFF = 60_000;
  static final long HEALTHY = 120_000;
  static final int FAULTS_PER_MINUTE = 60;

  final String user;
  ContainerState state = ContainerState.IDLE;

  /** The uid that the spawner reports for it; 0 = the uid that policy gives it. */
  long uid;

  /** True if it was a spare before it was the publisher's. */
  boolean spare;

  Agent agent;

  /** The uid of the agent's process. */
  long agentUid;

  AgentHello hello;
  Loop.Timer timer;
  Loop.Timer ping;

  /**
   * The reason why the agent's connection is gone, while the modules do not know yet; null = they
   * know, or the connection is there.
   */
  String loss;

  Loop.Timer lossTimer;
  long backoff = SOON;
  long readySince = -1;
  long lastAnswer;
  long pid;
  long pktio;
  int starts;

  /** The layers of isolation that it was started without; empty if they are not known. */
  Set<String> without = Set.of();

  /**
   * True if it is not started because policy does not let it run without the layers missing here.
   */
  boolean held;

  /**
   * True since it has died, until its relays that the kernel may keep for its next start are
   * forgotten.
   */
  boolean died;

  /** The reason why it is being stopped although it is wanted; empty = there is none. */
  String unfit = "";

  private long faultsSince;
  private int faults;
  String why = "";
  final List<Runnable> gone = new ArrayList<>();

  Container(String user) {
    this.user = user;
  }

  /**
   * Counts one fault that it reports. Returns true if it reports more faults a minute than anybody
   * would read.
   */
  boolean tooLoud(long now) {
    if (now - faultsSince >= 60_000) {
      faultsSince = now;
      faults = 0;
    }
    return ++faults > FAULTS_PER_MINUTE;
  }

  /** Returns true for the first fault of a minute that is not passed on. */
  boolean justTooLoud() {
    return faults == FAULTS_PER_MINUTE + 1;
  }

  /**
   * Returns the time to wait before the next start. It is a moment after the first end of a
   * container that was ready, because its modules have users, and a second after the next end. Then
   * it doubles from one call to the next, until the container has been healthy for a while.
   */
  long nextBackoff(long now) {
    boolean wasReady = readySince >= 0;
    if (wasReady && now - readySince >= HEALTHY) {
      backoff = SOON;
    }
    readySince = -1;
    long wait = wasReady ? backoff : Math.max(FIRST_BACKOFF, backoff);
    backoff = wait == SOON ? FIRST_BACKOFF : Math.min(LAST_BACKOFF, wait * 2);
    return wait;
  }

  void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /** Returns the uid of its last agent, else the uid that it runs as; 0 = neither is known. */
  public long uid() {
    return agentUid != 0 ? agentUid : uid;
  }

  public String user() {
    return user;
  }

  public ContainerState state() {
    return state;
  }

  public long pid() {
    return pid;
  }

  public long pktio() {
    return pktio;
  }

  /** Returns the layers of isolation that it was started without; empty if they are not known. */
  public Set<String> without() {
    return without;
  }

  /** Returns true if it was started before its publisher needed it. */
  public boolean spare() {
    return spare;
  }

  /** Returns how often this controller has started it. */
  public int starts() {
    return starts;
  }

  /** Returns the number of starts after the first. */
  public int restarts() {
    return Math.max(0, starts - 1);
  }

  /** Returns the reason for its present state. */
  public String why() {
    return why;
  }
}
