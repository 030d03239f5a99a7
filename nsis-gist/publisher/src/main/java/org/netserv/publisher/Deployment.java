// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A module that is kept alive on a path. The client sends the SETUP again before the TTL ends, and
 * each time it discovers the path anew. A node that a route change brought in therefore gets the
 * SETUP, too. Made by {@link PublisherClient#deploy}; safe for several threads.
 */
public interface Deployment extends AutoCloseable {
  /** The answer to the first SETUP. */
  CompletionStage<PathAnswer> first();

  /** The answer to the latest SETUP; empty before the first. */
  Optional<PathAnswer> latest();

  /** Sends the SETUP now, in place of the refresh that would have been next. */
  CompletionStage<PathAnswer> refresh();

  /** Ends the refreshes and sends a REMOVE. */
  CompletionStage<PathAnswer> remove();

  /** Ends the refreshes. Installed modules go when their TTL ends. */
  @Override
  void close();

  /** A listener to a deployment. The client's executor calls it, in order. */
  interface Listener {
    /** Called when a SETUP was answered, the first included. */
    default void answered(PathAnswer answer) {}

    /** Called when other nodes run the module than in the last answer. */
    default void changed(Change change) {}
  }

  /**
   * The difference between two answers.
   *
   * @param joined nodes that run the module now and did not before
   * @param left nodes that ran it before and are not in the answer now, or refuse
   * @param now the answer that showed it
   */
  record Change(List<NodeAnswer> joined, List<NodeAnswer> left, PathAnswer now) {
    public Change {
      joined = List.copyOf(joined);
      left = List.copyOf(left);
    }
  }
}
