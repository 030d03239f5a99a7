// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.function.IntSupplier;
import java.util.random.RandomGenerator;
import org.netserv.gist.GistSettings;

/** How long routing state is valid, and when it is refreshed (RFC 5971 section 4.4.4). */
final class Validity {
  /** A proposal above this says: the querier has more state than it can refresh more often. */
  private static final long SCALED = 60_000;

  /** Longest that we give a querier. */
  private static final long GIVEN_MAX = 3_600_000;

  /** Shortest that we take: else a responder could make us refresh without end. */
  private static final long TAKEN_MIN = 2_000;

  private static final long FIELD_MAX = 0xffff_ffffL;

  private final GistSettings settings;
  private final IntSupplier states;

  /**
   * Of one node.
   *
   * @param states how many routing states it holds now
   */
  Validity(GistSettings settings, IntSupplier states) {
    this.settings = settings;
    this.states = states;
  }

  /**
   * What we propose, ms: more than configured when refreshes would use more than 2/5 of the rate
   * limit. A refresh comes after 5/8 of the validity in the mean, and is one message for each state
   * of either side; the rest is for losses, and for sessions that begin.
   */
  long proposed() {
    long needed = 4000L * states.getAsInt() / Math.max(1, settings.rate());
    return Math.min(FIELD_MAX, Math.max(Math.max(1, settings.validity()), needed));
  }

  /** What we give for this proposal; it rules. Only a querier under load gets more than we want. */
  long given(long proposal) {
    long ours = proposed();
    return proposal > SCALED ? Math.max(ours, Math.min(proposal, GIVEN_MAX)) : ours;
  }

  /** For how long a querier takes what a responder gives, ms. */
  static long taken(long given) {
    return Math.max(given, TAKEN_MIN);
  }

  /** When to refresh, ms from now: uniform between half and three quarters, not in step. */
  static long refreshAfter(long validity, RandomGenerator random) {
    return validity / 2 + random.nextLong(Math.max(1, validity / 4));
  }
}
