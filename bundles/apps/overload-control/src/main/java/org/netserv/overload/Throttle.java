// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.util.random.RandomGenerator;
import org.netserv.overload.feedback.Feedback;
import org.netserv.overload.feedback.FeedbackKind;

/**
 * Decides about each new request. It keeps the feedback that is in effect, and gives up control
 * when its validity ends (RFC 7339, 5.7): without the server's word everything passes.
 *
 * <pre>
 *   feedback --> algorithm --- target rate ---> fair shares of the sources
 *                    |                              |
 *   request ---------+--- its rank, its source -----+---> admitted, or rejected with the reason
 * </pre>
 *
 * Time is in microseconds of a monotonic clock. Belongs to one thread.
 */
final class Throttle {
  /** Microseconds between two measurements of the rates. */
  static final long STEP = 100_000;

  private static final long STALE = 20 * STEP;
  private static final long REHASH = 30_000_000;
  private static final double MICROS = 1e6;
  private static final long MILLI = 1000;

  private final Algorithm loss = new LossAlgorithm();
  private final Algorithm rate;
  private final Algorithm window;
  private final Algorithm occupancy = new OccupancyAlgorithm();
  private final Algorithm local; // always in effect, null = none
  private final boolean fair;
  private final RandomGenerator random;
  private final Demand own;
  private final Demand other;
  private final Mix mix = new Mix();
  private final FairShares shares;
  private Algorithm algorithm; // in effect, null = none
  private FeedbackKind kind;
  private int value; // of the feedback
  private long until; // end of the feedback's validity
  private long turned;
  private long rehashed;
  private double dialogPass = 1;
  private double highPass = 1;
  private double normalPass = 1;

  /**
   * Makes a throttle without feedback.
   *
   * @param own where it tells the rate of its requests
   * @param other the requests that share the feedback; they come by another way
   */
  Throttle(
      OverloadSettings settings,
      TransactionTable table,
      RandomGenerator random,
      Demand own,
      Demand other) {
    this.random = random;
    this.own = own;
    this.other = other;
    fair = settings.fair();
    shares = new FairShares(random.nextLong());
    rate = new RateAlgorithm(settings.burst(), random);
    window = new WindowAlgorithm(table::inFlight, settings.window(), 0);
    local =
        settings.local()
            ? new WindowAlgorithm(table::inFlight, settings.window(), settings.responseTime())
            : null;
    algorithm = local;
  }

  /** Takes new feedback, older sequence numbers excluded by the caller. */
  void set(Feedback feedback, long now) {
    if (feedback.validity() == 0) {
      release();
      return;
    }
    Algorithm asked = of(feedback.algorithm());
    boolean first = algorithm != asked;
    kind = feedback.algorithm();
    value = feedback.value();
    asked.set(part(now), first, now);
    algorithm = asked;
    until = now + feedback.validity() * MILLI;
    if (first) {
      divide(0);
    }
  }

  /**
   * Returns the part of the feedback's value that is this throttle's. A fraction is not divided.
   */
  private int part(long now) {
    return switch (kind) {
      case RATE -> value == 0 ? 0 : Math.max(1, (int) other.leaves(value, now));
      case WINDOW -> value == 0 ? 0 : Math.max(1, (int) (value * other.fraction(mix.total(), now)));
      case LOSS, OCCUPANCY -> value;
    };
  }

  private Algorithm of(FeedbackKind asked) {
    return switch (asked) {
      case LOSS -> loss;
      case RATE -> rate;
      case WINDOW -> window;
      case OCCUPANCY -> occupancy;
    };
  }

  private void release() {
    algorithm = local;
    kind = null;
    dialogPass = 1;
    highPass = 1;
  }

  /** Returns the code of the feedback's algorithm that is in effect, or 0. */
  int code() {
    return kind == null ? 0 : kind.code();
  }

  /** Decides about a new request of a source, which is a hash of its address. */
  Why decide(Rank rank, long source, long now) {
    turn(now);
    int bucket = shares.bucket(source);
    mix.count(rank);
    if (rank == Rank.NORMAL) {
      shares.count(bucket);
    }
    Why why = algorithm == null ? admitted(rank) : ask(rank, bucket, now);
    if (!why.isRejected()) {
      mix.admit();
    }
    return why;
  }

  private Why ask(Rank rank, int bucket, long now) {
    // A bucket has room of its own for bursts. A window has none until a flood fills it.
    boolean light = kind == FeedbackKind.RATE ? shares.isLight(bucket) : shares.isFavoured(bucket);
    boolean share =
        switch (rank) {
          case EXEMPT -> true;
          case DIALOG -> dialogPass >= 1 || random.nextDouble() < dialogPass;
          case HIGH -> highPass >= 1 || random.nextDouble() < highPass;
          case NORMAL -> fair ? shares.admits(bucket) : random.nextDouble() < normalPass;
        };
    if (!share) {
      return rank == Rank.NORMAL && fair ? Why.REJECTED_SHARE : Why.REJECTED;
    }
    return algorithm.admits(rank, light, now) ? admitted(rank) : Why.REJECTED;
  }

  private static Why admitted(Rank rank) {
    return switch (rank) {
      case EXEMPT -> Why.EXEMPT;
      case DIALOG -> Why.DIALOG;
      case HIGH -> Why.PREFERRED;
      case NORMAL -> Why.ADMITTED;
    };
  }

  /** Takes note of the first response to an admitted request. */
  void responded(long micros, long now) {
    if (algorithm != null) {
      algorithm.responded(micros, now);
    }
  }

  /** Ends the step if it is over, and the feedback's validity with it. */
  void turn(long now) {
    if (kind != null && now - until >= 0) {
      release();
    }
    long passed = now - turned;
    if (passed < STEP) {
      return;
    }
    turned = now;
    double seconds = Math.min(passed, STALE) / MICROS;
    mix.turn(seconds);
    own.tell(mix.total(), now);
    if (kind == FeedbackKind.RATE || kind == FeedbackKind.WINDOW) {
      algorithm.set(part(now), false, now);
    }
    divide(seconds);
    if (now - rehashed > REHASH) {
      rehashed = now;
      shares.rehash(random.nextLong());
    }
  }

  /** Divides the algorithm's target by rank, and the rest of it among the sources. */
  private void divide(double seconds) {
    double target = algorithm == null ? Double.MAX_VALUE : algorithm.target(mix);
    double through = algorithm == null ? Double.MAX_VALUE : algorithm.through(mix);
    double above = mix.total() - mix.rate(Rank.NORMAL);
    double left = target - mix.rate(Rank.EXEMPT);
    dialogPass = pass(left, mix.rate(Rank.DIALOG));
    left -= mix.rate(Rank.DIALOG);
    highPass = pass(left, mix.rate(Rank.HIGH));
    left = Math.max(0, left - mix.rate(Rank.HIGH));
    normalPass = pass(left, mix.rate(Rank.NORMAL));
    double gets = Math.max(0, through - above);
    if (seconds > 0) {
      shares.turn(seconds, left, gets);
    } else {
      shares.divide(left, gets);
    }
  }

  private static double pass(double left, double asked) {
    return asked <= left ? 1 : Math.max(0, left) / asked;
  }
}
