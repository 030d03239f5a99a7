// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.function.IntSupplier;
import java.util.random.RandomGenerator;
import org.netserv.gist.GistSettings;

/** Computes the validity of routing state and the time of its refresh (RFC 5971 section 4.4.4). */
final class Validity {
  /**
   * Limit in ms. A proposal above it means that the querier has more state than it can refresh in
   * time.
   */
  private static final long SCALED = 60_000;

  /** Longest validity that we give a querier, ms. */
  private static final long GIVEN_MAX = 3_600_000;

  /**
   * Shortest validity that we take, ms. With a shorter one a responder could make us refresh
   * without end.
   */
  private static final long TAKEN_MIN = 2_000;

  private static final long FIELD_MAX = 0xffff_ffffL;

  private final GistSettings settings;
  private final IntSupplier states;

  /**
   * Creates the validity of one node.
   *
   * @param states supplies the number of routing states that the node holds now
   */
  Validity(GistSettings settings, IntSupplier states) {
    this.settings = settings;
    this.states = states;
  }

  /**
   * Returns the validity that we propose, ms. It is longer than configured when refreshes would use
   * more than 2/5 of the rate limit. A refresh comes after 5/8 of the validity in the mean, and is
   * one message for each state of either side. The rest of the limit is for losses, and for
   * sessions that begin.
   */
  long proposed() {
    long needed = 4000L * states.getAsInt() / Math.max(1, settings.rate());
    return Math.min(FIELD_MAX, Math.max(Math.max(1, settings.validity()), needed));
  }

  /**
   * Returns the validity that we give for a proposal, which the querier must use. Only a querier
   * under load gets more than we want.
   */
  long given(long proposal) {
    long ours = proposed();
    return proposal > SCALED ? Math.max(ours, Math.min(proposal, GIVEN_MAX)) : ours;
  }

  /** Returns the time in ms for which a querier accepts a responder's validity. */
  static long taken(long given) {
    return Math.max(given, TAKEN_MIN);
  }

  /**
   * Returns the time of the refresh, ms from now. It is uniform between half and three quarters of
   * the validity, so that refreshes are not in step.
   */
  static long refreshAfter(long validity, RandomGenerator random) {
    return validity / 2 + random.nextLong(Math.max(1, validity / 4));
  }
}
