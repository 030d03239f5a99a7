// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.netserv.controller.spawner.Spawner;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.controller.spawner.SpawnerRequest;

/** Questions to the spawner for {@code status} and {@code counters}. On the loop. */
public final class SpawnerStats {
  private final Spawner spawner;
  private final BooleanSupplier prepared;

  /**
   * Joins the spawner and its state.
   *
   * @param prepared returns true if the spawner has prepared the node, so that a SETUP may come
   */
  public SpawnerStats(Spawner spawner, BooleanSupplier prepared) {
    this.spawner = spawner;
    this.prepared = prepared;
  }

  /** Returns true if the spawner is connected and containers can be started. */
  boolean ready() {
    return spawner.connected() && prepared.getAsBoolean();
  }

  /** Asks for the list of containers. {@code done} gets one reply, also if the spawner is away. */
  void list(Consumer<SpawnerReply> done) {
    spawner.request(SpawnerRequest.list(), done);
  }

  /** Asks for the counts and flows in the kernel with the most bytes. One reply, as of list. */
  void talkers(int most, Consumer<SpawnerReply> done) {
    spawner.request(SpawnerRequest.talkers(most), done);
  }

  /**
   * Asks the spawner about all users at once. Each request has one answer, from the spawner or from
   * its client.
   */
  void of(List<String> users, Consumer<Map<String, SpawnerReply>> done) {
    Map<String, SpawnerReply> stats = new TreeMap<>();
    if (users.isEmpty()) {
      done.accept(stats);
    }
    for (String user : users) {
      spawner.request(
          SpawnerRequest.stats(user),
          answer -> {
            stats.put(user, answer);
            if (stats.size() == users.size()) {
              done.accept(stats);
            }
          });
    }
  }

  /**
   * Adds the times of the spawner's loop, as the spawner measures them. Nothing in its loop may
   * take more than 10 ms.
   */
  static void loop(ObjectNode to, SpawnerReply list) {
    if (list.values().containsKey("loop-over-10ms")) {
      to.put("slowestMicros", list.number("loop-slowest", 0))
          .put("slowestWork", list.values().getOrDefault("loop-work", ""))
          .put("turnsOver10ms", list.number("loop-over-10ms", 0));
    }
  }
}
