// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.List;
import java.util.function.Consumer;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.filter.FlowFilter;

/**
 * The writing of a module's filters while its container starts, or its agent installs it. Its queue
 * lets packets go on unseen until the module handles them. So packets lose nothing, and the first
 * of them need not wait for the kernel's rules after the installation. On the loop.
 */
final class EarlyFilters {
  private final List<FlowFilter> filters;
  private SpawnerReply reply;
  private Consumer<SpawnerReply> waiting;

  EarlyFilters(List<FlowFilter> filters) {
    this.filters = List.copyOf(filters);
  }

  /** Takes the spawner's reply. */
  void written(SpawnerReply answer) {
    reply = answer;
    if (waiting != null) {
      waiting.accept(answer);
    }
  }

  /**
   * Has {@code done} hear the spawner's reply, perhaps at once.
   *
   * @return false if other filters are wanted now, or the writing has failed. They must be written
   *     again then, and {@code done} hears nothing.
   */
  boolean await(List<FlowFilter> wanted, Consumer<SpawnerReply> done) {
    if (!filters.equals(wanted) || (reply != null && !reply.ok())) {
      return false;
    }
    if (reply == null) {
      waiting = done;
    } else {
      done.accept(reply);
    }
    return true;
  }
}
