// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.feed;

import java.util.List;
import java.util.function.Consumer;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;

/** Looks serviceIDs up somewhere else. */
public interface Resolver {
  /** The outcome of a look-up. */
  enum Status {
    FOUND,
    NONE,
    FAILED
  }

  /**
   * A target that was found.
   *
   * @param bits length of the prefix that has this target, 0 to 256
   * @param priority among the targets, 0 to 65,534, higher first
   * @param weight 0 to 65,535
   * @param seconds for which this is so, at least 1
   */
  record Found(Endpoint target, int bits, int priority, int weight, long seconds) {}

  /**
   * An answer.
   *
   * @param found empty unless the status says that something was found
   * @param seconds for which NONE is so
   */
  record Answer(Status status, List<Found> found, long seconds) {
    public static final Answer FAILED = new Answer(Status.FAILED, List.of(), 0);

    public static Answer none(long seconds) {
      return new Answer(Status.NONE, List.of(), seconds);
    }

    public static Answer of(List<Found> found) {
      return new Answer(Status.FOUND, List.copyOf(found), 0);
    }
  }

  /**
   * Begins a look-up. Each has one answer in the end.
   *
   * @param done is called on the thread of the router
   */
  void resolve(ServiceId id, Consumer<Answer> done);

  /** Ends. Answers that are under way may be lost. */
  default void close() {}
}
