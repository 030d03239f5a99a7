// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A module's decision about one packet. The dispatcher hands it over blank with the packet. The
 * module fills it by one call and returns it:
 *
 * <pre>
 *   return decision.drop("nearly dead");
 *   return decision.pass("media").offload(60);
 * </pre>
 *
 * <p>A reason is for {@code netserv node trace}. It is a constant, not built for each packet. The
 * last call counts. A decision that is still blank is an error of the module, as null is.
 *
 * <p><b>Validity, threads.</b> As its {@link Packet}: until the call that handed it over returns,
 * on the thread that received it. The same object comes with the next packet. Nothing here
 * allocates, except a theft.
 */
public final class Decision {
  private static final int MOST_SECONDS = 0xffff;

  private static final int BLANK = 0;
  private static final int PASS = 1;
  private static final int DROP = 2;
  private static final int CHANGED = 3;
  private static final int STOLEN = 4;

  private final Packet packet;
  private final Supplier<Stolen> theft;

  /** The verdict. A number is stored for less than a reference, which a collector tracks. */
  private int kind;

  private String reason;
  private Stolen stolen;
  private int seconds;
  private Answer next;
  private int nextBudget;
  private int nextSeconds;

  Decision(Packet packet, Supplier<Stolen> theft) {
    this.packet = packet;
    this.theft = theft;
  }

  /** Lets the packet go on as it came. */
  public Decision pass() {
    return decide(PASS, null);
  }

  /** Lets the packet go on as it came. */
  public Decision pass(String why) {
    return decide(PASS, why);
  }

  /** Ends the packet here. */
  public Decision drop() {
    return decide(DROP, null);
  }

  /** Ends the packet here. */
  public Decision drop(String why) {
    return decide(DROP, why);
  }

  /** Lets the packet go on as its setters have changed it. */
  public Decision changed() {
    return decide(CHANGED, null);
  }

  /** Lets the packet go on as its setters have changed it. */
  public Decision changed(String why) {
    return decide(CHANGED, why);
  }

  /**
   * Takes the packet away, to be answered later, from any thread. The packet must be unchanged,
   * because changes are lost. {@link Packet#retain()} copies its bytes.
   *
   * <p>The packet passes instead if it may not be stolen, because too many are stolen already or it
   * is a sample. {@code taker} is not called then.
   *
   * @param taker gets the packet's handle, before this method returns
   */
  public Decision steal(String why, Consumer<? super Stolen> taker) {
    if (stolen == null && !packet.isSample()) {
      stolen = theft.get();
    }
    if (stolen == null) {
      return pass("steal refused");
    }
    taker.accept(stolen);
    return decide(STOLEN, why);
  }

  /**
   * Asks that this decision hold for the rest of the packet's flow. The flow is all packets with
   * the same addresses, protocol and ports as this packet had when it came. The kernel then decides
   * them, no module sees them, and user space delays none of them. The last call counts. An
   * exception or a theft undoes it. With a sample or a fragment the call does nothing.
   *
   * <p>With {@link #changed} the kernel repeats the difference between the headers: addresses,
   * ports, DSCP and TTL (which it never raises). A packet changed in anything else, or in length,
   * goes out alone, and the flow stays with the modules.
   *
   * <p>The offload ends after {@code seconds}, after 30 seconds without a packet, and at once when
   * the publisher has no filter for the flow any more, or its container ends. The flow's next
   * packet then comes to the modules again.
   *
   * <p>The offload is a wish. The module is not told of a refusal, but each kind of refusal has its
   * counter at the node. The node refuses the offload in these cases:
   *
   * <ul>
   *   <li>The node has no fast path.
   *   <li>Another module of this container saw the packet and did not ask, samples the flow, or
   *       takes only the first packets of connections.
   *   <li>The publisher's flows are used up.
   *   <li>A rewrite breaks the publisher's rules.
   * </ul>
   *
   * Packets then keep coming, so ask again if you like. {@link Flows} shows the flows that the
   * kernel has. With several modules in agreement the fewest seconds count.
   *
   * @param seconds 1 to 65535
   * @throws IllegalArgumentException if the seconds are out of range
   */
  public Decision offload(int seconds) {
    if (seconds < 1 || seconds > MOST_SECONDS) {
      throw new IllegalArgumentException("seconds are 1-65535, not " + seconds);
    }
    if (!packet.isSample() && !packet.isFragment()) {
      this.seconds = seconds;
    }
    return this;
  }

  /**
   * Asks that the kernel answer the flow's next packets by a template. This packet gets the verdict
   * of this decision. The answer ends after {@code seconds}, at once by {@link Answer#withdraw},
   * and when the publisher has no filter for the flow any more, other modules see the flow, or the
   * container ends.
   *
   * <p>The answer is a wish, as {@link #offload} is. {@link Answer#state} tells what became of it.
   * The dispatcher does not ask the node if another module of this container saw the packet and did
   * not ask for an offload, samples the flow, or takes only the first packets of connections. With
   * a sample or a fragment the call does nothing. An exception or a theft undoes it.
   *
   * @param answer of {@link Answers#make}, for this packet's flow
   * @param budget so many packets are answered, and the next ones come to the modules again; 0 =
   *     any number
   * @param lifetime seconds, 1 to 65535
   * @throws IllegalArgumentException if budget or lifetime is out of range
   */
  public Decision answerNext(Answer answer, int budget, int lifetime) {
    if (budget < 0) {
      throw new IllegalArgumentException("budget is not negative, not " + budget);
    }
    if (lifetime < 1 || lifetime > MOST_SECONDS) {
      throw new IllegalArgumentException("seconds are 1-65535, not " + lifetime);
    }
    if (!packet.isSample() && !packet.isFragment()) {
      next = answer;
      nextBudget = budget;
      nextSeconds = lifetime;
    }
    return this;
  }

  /** Returns the answer of {@link #answerNext}; null = not asked for. */
  public Answer nextAnswer() {
    return next;
  }

  /** Returns the budget of {@link #answerNext}. */
  public int nextBudget() {
    return nextBudget;
  }

  /** Returns the seconds of {@link #answerNext}. */
  public int nextSeconds() {
    return nextSeconds;
  }

  /** Returns the verdict, or null if the decision is blank. */
  public Verdict verdict() {
    return switch (kind) {
      case PASS -> Verdict.PASS;
      case DROP -> Verdict.DROP;
      case CHANGED -> Verdict.CHANGED;
      case STOLEN -> Verdict.STOLEN;
      default -> null;
    };
  }

  /** Returns the verdict's reason, or null. */
  public String reason() {
    return reason;
  }

  /** Returns the seconds of {@link #offload}; 0 = not asked for. */
  public int offloadSeconds() {
    return seconds;
  }

  private Decision decide(int decided, String why) {
    kind = decided;
    reason = why;
    return this;
  }

  void blank() {
    kind = BLANK;
    reason = null;
    stolen = null;
    seconds = 0;
    next = null;
  }

  Stolen stolen() {
    return stolen;
  }
}
