// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.netserv.gist.association.Association;

/**
 * The messages that a session sent and that the peer may not have taken, because the peer has not
 * proved since that it has routing state. Messages by datagram are repeated without proof. Messages
 * by an association are repeated when {@link SentMessages} is certain; else their loss is told.
 */
final class UnprovenMessages {
  private static final int DATAGRAMS_MAX = 4;

  private final SentMessages.Budget budget;
  private ArrayDeque<Pending> datagrams;

  /** Null before a message was sent by an association. */
  private SentMessages sent;

  /**
   * Reason why messages may be lost, until it is known that they are sent again; null = none are.
   */
  private String doubt;

  UnprovenMessages(SentMessages.Budget budget) {
    this.budget = budget;
  }

  void byDatagram(Pending message) {
    datagrams = datagrams == null ? new ArrayDeque<>(DATAGRAMS_MAX) : datagrams;
    if (datagrams.size() == DATAGRAMS_MAX) {
      datagrams.remove();
    }
    datagrams.add(message.again());
  }

  void byAssociation(Pending message, Association association, long now) {
    sent = sent == null ? new SentMessages(budget) : sent;
    sent.sent(message, association, now);
  }

  /** Forgets all messages, because the peer has shown that it has state. */
  void proved() {
    datagrams = null;
    if (sent != null) {
      sent.arrived();
    }
  }

  /** Forgets the messages that were sent too long ago to be refused. */
  void age(long now) {
    datagrams = null;
    if (sent != null) {
      sent.age(now);
    }
  }

  /** Notes that a Confirm has left by this association. */
  void confirmed(Association association, long now) {
    if (sent != null) {
      sent.confirmed(association, now);
    }
  }

  /** Notes that the peer refused a message by this association; null: by datagram. */
  void refused(Association association) {
    if (sent != null && association != null) {
      sent.refused(association);
    }
  }

  /** Notes that the peer refused the first Confirm by this association. */
  void refusedConfirm(Association association) {
    if (sent != null) {
      sent.refusedConfirm(association);
    }
  }

  /** Forgets the messages by the association, because no Error can come by it any more. */
  void forgetAssociation() {
    if (sent != null) {
      sent.clear();
    }
  }

  /** Notes that messages by the association may be lost. */
  void doubt(String reason) {
    doubt = reason;
  }

  /** Returns whether no further Error can show that no message has arrived. */
  boolean decided() {
    return sent == null || !sent.undecided();
  }

  /** Returns the reason why messages are lost, once; null = none are. */
  String takeDoubt() {
    String reason = doubt;
    doubt = null;
    return reason;
  }

  /** Gives back the messages by the association that the peer certainly did not take, in order. */
  List<Pending> takeBack() {
    if (sent == null) {
      return List.of();
    }
    List<Pending> back = sent.takeBack();
    if (!back.isEmpty() && !sent.refusedMore()) {
      doubt = null;
    }
    return back.stream().map(Pending::again).toList();
  }

  /** Gives back the messages by datagram, in order. */
  List<Pending> takeDatagrams() {
    List<Pending> back = datagrams == null ? List.of() : new ArrayList<>(datagrams);
    datagrams = null;
    return back;
  }
}
