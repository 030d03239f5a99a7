// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import org.netserv.packet.Answer;
import org.netserv.packet.AnswerTemplate;
import org.netserv.packet.Packet;
import org.netserv.packet.Relay;

/**
 * One agent whose keep-alives the kernel may answer, and how often.
 *
 * <pre>
 *            packet of the agent       what it tells                            next
 *   NEW      answered by the module    nothing                                  armed, if it is slow
 *   armed    the kernel has it         its budget is used up, or it is unlike   not armed, counted
 *   armed    ended, refused            the kernel's count of answers            not armed, counted
 *   any      3 times unlike            not for the kernel                       never armed again
 * </pre>
 *
 * <p>The numbers of the kernel are up to 0.2 s old. So a packet that comes while the kernel has the
 * answer counts as the whole budget: the server then sees a keep-alive rather too early. An agent
 * that sends faster than once a second is not armed with a budget, because its next packets would
 * come before the kernel has the answer.
 *
 * <p>Belongs to the packet thread, except where a method says otherwise.
 */
final class KernelEntry {
  private static final int STRIKES = 3;
  private static final int SLOW_MICROS = 1_000_000;

  private long high;
  private long low;
  private long serverHigh;
  private long serverLow;
  private int port;
  private int serverPort;
  private int server = -1;

  private volatile Answer answer;
  private volatile boolean gone; // withdrawn
  private volatile long counted; // answers of the kernel that were added to the sum
  private boolean armed;
  private int budget;
  private long before; // answers of the kernel when it was armed
  private int strikes;
  private int arrival;
  private boolean slow; // the packet before was long enough ago
  private long told; // time of the packet that the link has told of

  /** Makes this the key of the packet's agent and server. */
  KernelEntry point(Packet packet) {
    high = packet.sourceHigh();
    low = packet.sourceLow();
    serverHigh = packet.destinationHigh();
    serverLow = packet.destinationLow();
    port = packet.sourcePort();
    serverPort = packet.destinationPort();
    return this;
  }

  /** Begins at the time of a packet. {@code place} is its server's, -1 = none. */
  KernelEntry begin(int place, int micros) {
    server = place;
    arrival = micros;
    return this;
  }

  @Override
  public int hashCode() {
    return Long.hashCode((low * 31 + high) * 0x9e3779b97f4a7c15L + port);
  }

  @Override
  public boolean equals(Object object) {
    return object instanceof KernelEntry other
        && low == other.low
        && port == other.port
        && high == other.high
        && serverLow == other.serverLow
        && serverPort == other.serverPort
        && serverHigh == other.serverHigh;
  }

  /**
   * Notes that a packet of the agent has come. Returns the number of keep-alives that the kernel
   * has answered since it was armed.
   */
  int back(int micros) {
    note(micros);
    if (gone) {
      return lost();
    }
    if (!armed) {
      return 0;
    }
    Relay.State state = answer.state();
    long since = Math.max(0, answer.packets() - before);
    boolean kernels = state == Relay.State.ACTIVE;
    if (since > 0) {
      strikes = 0;
    } else if (kernels) {
      strikes++;
    }
    if (budget == 0) {
      before += since;
      armed = kernels || state == Relay.State.ASKED;
      return 0;
    }
    armed = false;
    return kernels || state == Relay.State.ASKED ? budget : (int) Math.min(since, budget);
  }

  /** Forgets an answer that was withdrawn. All of its budget counts as used. */
  private int lost() {
    int most = armed ? budget : 0;
    answer = null;
    armed = false;
    gone = false;
    return most;
  }

  /** Notes the time of a packet. */
  private void note(int micros) {
    slow = Integer.compareUnsigned(micros - arrival, SLOW_MICROS) >= 0;
    arrival = micros;
  }

  /**
   * Tells whether the kernel is to be asked, with this budget (0 = any number). Packets that came
   * in spite of an answer speak against it until it ends, and not against the next one.
   */
  boolean wants(int most) {
    boolean may = strikes < STRIKES || isOver();
    return may && (most == 0 ? !armed : most > 0 && slow);
  }

  /** Tells whether the answer is of another template, and no packet was like that. */
  boolean isStale(AnswerTemplate template) {
    return template != null && strikes > 0 && !template.equals(answer.template());
  }

  /** Tells whether the node has refused the answer. */
  boolean isRefused() {
    return answer != null && answer.state() == Relay.State.REFUSED;
  }

  /** Returns the template of the answer, which there is. */
  AnswerTemplate template() {
    return answer.template();
  }

  boolean hasAnswer() {
    return answer != null;
  }

  /** Takes an answer that was just made. */
  void take(Answer made) {
    answer = made;
    gone = false;
    armed = false;
    counted = 0;
    strikes = 0;
  }

  /** Returns the answer, which is about to be armed with this budget. */
  Answer arm(int most) {
    before = answer.packets();
    budget = most;
    armed = true;
    return answer;
  }

  /** Returns the answers of the kernel since the last call. */
  long collect() {
    long packets = packets();
    long more = packets < counted ? packets : packets - counted;
    counted = packets;
    return more;
  }

  /** Returns the answers of the kernel that were not collected yet. From any thread. */
  long uncollected() {
    return Math.max(0, packets() - counted);
  }

  private long packets() {
    Answer present = answer;
    return present == null ? 0 : present.packets();
  }

  /** Tells whether nothing will come of the answer any more. */
  boolean isOver() {
    if (answer == null) {
      return false;
    }
    Relay.State state = answer.state();
    return state == Relay.State.ENDED || state == Relay.State.REFUSED;
  }

  /** Takes the answer out of the kernel. From any thread. */
  void withdraw() {
    Answer present = answer;
    if (present != null) {
      present.withdraw();
      gone = true;
    }
  }

  // ---- the link's side

  /** Receives agents that the kernel has answered. */
  interface Taker {
    void take(long high, long low, int port, int server);
  }

  boolean isOf(int place) {
    return server == place;
  }

  /**
   * Tells of the agent, if the kernel has answered it, and not within so many seconds before that.
   * Only the link.
   */
  boolean tell(int seconds, Taker taker) {
    Answer present = answer;
    long last = present == null ? 0 : present.lastMicros();
    if (server < 0 || last == 0 || last - told < seconds * 1_000_000L) {
      return false;
    }
    told = last;
    taker.take(high, low, port, server);
    return true;
  }
}
