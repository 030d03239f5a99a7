// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.net.InetAddress;
import java.util.function.Consumer;
import org.netserv.ncm.ResponseEntry;

/**
 * The node's controller behind its signaling socket, as docs/protocols/admin.md describes it.
 * Callers use it on the GIST thread. Each answer comes later on the same thread, exactly once for
 * each question.
 */
interface ControllerPort {
  /** Asks the controller with the op {@code ncm} or {@code trigger}. */
  void ask(Question question, Consumer<Verdict> answer);

  /**
   * Asks for a signed entry with the op {@code sign}.
   *
   * @param below the entry below; null at the bottom
   * @param answer gets null when there is no entry, because the ticket is not known any more or the
   *     controller has gone
   */
  void sign(String ticket, ResponseEntry below, Consumer<ResponseEntry> answer);

  /**
   * A message for the controller.
   *
   * @param tlv binary form of the NCM or the TRIGGER
   * @param waitMillis time in ms that the controller waits for an end state; 0 = it does not wait
   * @param last whether this is the last node of the path
   * @param peer the address of the previous hop, which GIST has proved; null if the flow starts
   *     here
   * @param quick whether the controller answers at once, so that the question must not wait behind
   *     slow ones
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes the array
  record Question(
      byte[] tlv,
      boolean trigger,
      long waitMillis,
      InetAddress source,
      InetAddress destination,
      int interfaceIndex,
      boolean last,
      InetAddress peer,
      boolean quick) {}

  /** The controller's answer to a question. */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes the array
  record Verdict(Kind kind, int status, String reason, String ticket, byte[] message) {
    /** Kinds of answer: a decision, or the reason why there is none. */
    enum Kind {
      /**
       * The controller decided. {@code ticket} makes the entry; null = the node is not addressed.
       */
      DECIDED,
      /** The controller is away and has not seen the message. */
      AWAY,
      /** The controller may have seen the message, but its decision is not known. */
      UNKNOWN
    }

    static final Verdict AWAY = new Verdict(Kind.AWAY, 0, "the controller is away", null, null);
    static final Verdict UNKNOWN =
        new Verdict(Kind.UNKNOWN, 0, "the controller does not answer", null, null);

    /**
     * Creates the answer for a decision.
     *
     * @param status as in ncm.md
     * @param ticket null with 421
     * @param message the message that a TRIGGER with status 200 may start; else null
     */
    static Verdict decided(int status, String reason, String ticket, byte[] message) {
      return new Verdict(Kind.DECIDED, status, reason, ticket, message);
    }
  }
}
