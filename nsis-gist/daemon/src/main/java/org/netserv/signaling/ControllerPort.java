// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.net.InetAddress;
import java.util.function.Consumer;
import org.netserv.ncm.ResponseEntry;

/**
 * The node's controller, as docs/protocols/admin.md describes the signaling socket. Called on the
 * GIST thread, where the answers come, too: later, and exactly once for each question.
 */
interface ControllerPort {
  /** The ops {@code ncm} and {@code trigger}. */
  void ask(Question question, Consumer<Verdict> answer);

  /**
   * The op {@code sign}.
   *
   * @param below the entry below; null at the bottom
   * @param answer gets null when there is none: the ticket is not known any more, or the controller
   *     has gone
   */
  void sign(String ticket, ResponseEntry below, Consumer<ResponseEntry> answer);

  /**
   * A message for the controller.
   *
   * @param tlv binary form of the NCM or the TRIGGER
   * @param waitMillis how long an end state is waited for; 0 = not
   * @param last whether this is the last node of the path
   * @param peer the address of the previous hop, which GIST has proved; null: the flow starts here
   * @param quick whether it is answered at once, so that it must not wait for what takes long
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

  /** What the controller said. */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes the array
  record Verdict(Kind kind, int status, String reason, String ticket, byte[] message) {
    /** How much there is to know. */
    enum Kind {
      /** It decided; {@code ticket} makes the entry, null when the node is not addressed. */
      DECIDED,
      /** The controller is not there: it has not seen the message. */
      AWAY,
      /** It has seen the message, perhaps, and said nothing. */
      UNKNOWN
    }

    static final Verdict AWAY = new Verdict(Kind.AWAY, 0, "the controller is away", null, null);
    static final Verdict UNKNOWN =
        new Verdict(Kind.UNKNOWN, 0, "the controller does not answer", null, null);

    /**
     * A decision.
     *
     * @param status as in ncm.md
     * @param ticket null with 421
     * @param message of a TRIGGER with status 200: what may be started; else null
     */
    static Verdict decided(int status, String reason, String ticket, byte[] message) {
      return new Verdict(Kind.DECIDED, status, reason, ticket, message);
    }
  }
}
