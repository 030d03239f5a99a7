// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.netserv.controller.loop.Loop;

/**
 * One publisher's container as {@link Containers} knows it. Fields are read by others, written by
 * Containers, on the loop.
 */
public final class Container {
  static final long FIRST_BACKOFF = 1_000;
  static final long LAST_BACKOFF = 60_000;
  static final long HEALTHY = 120_000;
  static final int FAULTS_PER_MINUTE = 60;

  final String user;
  ContainerState state = ContainerState.IDLE;

  /** What it runs as by the spawner's word; 0 = by that of policy. */
  long uid;

  /** It was a spare before it was the publisher's. */
  boolean spare;

  Agent agent;

  /** What the agent's process runs as. */
  long agentUid;

  AgentHello hello;
  Loop.Timer timer;
  Loop.Timer ping;

  /** The agent's connection is gone and the modules do not know yet; null = they do. */
  String loss;

  Loop.Timer lossTimer;
  long backoff = FIRST_BACKOFF;
  long readySince = -1;
  long lastAnswer;
  long pid;
  long pktio;
  int starts;

  /** The layers of isolation that it was started without; empty where that is not known. */
  Set<String> without = Set.of();

  /** It is not started because policy does not let it run without the layers missing here. */
  boolean held;

  /** Why it is being stopped although it is wanted; empty = it is not. */
  String unfit = "";

  private long faultsSince;
  private int faults;
  String why = "";
  final List<Runnable> gone = new ArrayList<>();

  Container(String user) {
    this.user = user;
  }

  /** Counts one fault it tells of; whether it tells of more a minute than anybody would read. */
  boolean tooLoud(long now) {
    if (now - faultsSince >= 60_000) {
      faultsSince = now;
      faults = 0;
    }
    return ++faults > FAULTS_PER_MINUTE;
  }

  /** The first fault of a minute that is not passed on. */
  boolean justTooLoud() {
    return faults == FAULTS_PER_MINUTE + 1;
  }

  /**
   * How long to wait before the next start; doubles from one call to the next, until it has been
   * healthy for a while.
   */
  long nextBackoff(long now) {
    if (readySince >= 0 && now - readySince >= HEALTHY) {
      backoff = FIRST_BACKOFF;
    }
    readySince = -1;
    long wait = backoff;
    backoff = Math.min(LAST_BACKOFF, backoff * 2);
    return wait;
  }

  void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /** The uid that its agent had last, or that it runs as; 0 = neither is known. */
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

  /** The layers of isolation that it was started without; empty where that is not known. */
  public Set<String> without() {
    return without;
  }

  /** Whether it had been started before its publisher needed it. */
  public boolean spare() {
    return spare;
  }

  /** Times that it was started by this controller. */
  public int starts() {
    return starts;
  }

  /** Starts after the first. */
  public int restarts() {
    return Math.max(0, starts - 1);
  }

  /** Why it is in its state. */
  public String why() {
    return why;
  }
}
