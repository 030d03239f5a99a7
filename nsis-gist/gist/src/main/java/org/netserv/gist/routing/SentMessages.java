// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.netserv.gist.association.Association;

/**
 * The messages that a session sent by its association and that the peer may still refuse.
 *
 * <p>A reliable message arrives exactly once or not at all (RFC 5971 section 4.1.2), so only a
 * message that certainly did not arrive is sent again. The proof is the peer's Errors, which come
 * back by the same association and in order. State that is missing stays missing until the next
 * Confirm. So the messages refused after a Confirm are the last ones that were sent, one Error for
 * each, and when there are as many Errors as messages none has arrived. The same is certain when
 * the peer refused the first Confirm itself.
 */
final class SentMessages {
  private static final int MESSAGES_MAX = 16;
  private static final int BYTES_MAX = 65_536;

  /** An Error about a message that was sent longer ago than this, ms, has come if it ever does. */
  private static final long LATE = 10_000;

  private final Budget budget;
  private final ArrayDeque<Pending> kept = new ArrayDeque<>(2);
  private int bytes;
  private Association by;
  private long lastSent;

  /** Messages since the last Confirm; {@code refused}: Errors about them. */
  private int count;

  private int refused;

  /** True when the peer refused the Confirm itself, in spite of any Errors about messages. */
  private boolean unconfirmed;

  /** False when messages since the last Confirm are not kept, because there were too many. */
  private boolean whole = true;

  /** True when Errors may come that are about messages from before the last Confirm. */
  private boolean unsure;

  SentMessages(Budget budget) {
    this.budget = budget;
  }

  /** Bounds the bytes that all sessions of a node keep together. */
  static final class Budget {
    private long left;

    Budget(long bytes) {
      left = bytes;
    }

    private boolean take(int count) {
      if (count > left) {
        return false;
      }
      left -= count;
      return true;
    }

    private void give(int count) {
      left += count;
    }

    long left() {
      return left;
    }
  }

  /** Keeps a message that leaves now. */
  void sent(Pending message, Association association, long now) {
    if (by != association) {
      begin(association);
    }
    count++;
    lastSent = now;
    int length = message.request().payload().length;
    if (!whole) {
      return;
    }
    if (kept.size() == MESSAGES_MAX || bytes + length > BYTES_MAX || !budget.take(length)) {
      drop();
      whole = false;
      return;
    }
    bytes += length;
    kept.add(message);
  }

  /**
   * Notes that a Confirm has left by this association. The peer has state again, if it takes the
   * Confirm.
   */
  void confirmed(Association association, long now) {
    boolean late = by == association && refused < count && now - lastSent <= LATE;
    begin(association);
    unsure = late;
  }

  /** Forgets all messages, because the peer has shown that it has state, so they have arrived. */
  void arrived() {
    clear();
  }

  /** Forgets messages that were sent too long ago to be refused. */
  void age(long now) {
    if (now - lastSent > LATE) {
      begin(by);
    }
  }

  /** Notes that the peer refused one of the messages sent by this association. */
  void refused(Association association) {
    if (association == by) {
      refused++;
    }
  }

  /**
   * Notes that the peer refused the first Confirm by this association, so it took nothing behind
   * the Confirm.
   */
  void refusedConfirm(Association association) {
    unconfirmed |= association == by;
  }

  /** True while further Errors may show that no message has arrived. */
  boolean undecided() {
    return whole && !unsure && refused < count;
  }

  /**
   * Returns true when the peer refused more messages than were sent since it last showed that it
   * has state.
   */
  boolean refusedMore() {
    return refused > count;
  }

  /** Gives back all messages in their order when it is certain that none has arrived. */
  List<Pending> takeBack() {
    boolean certain = whole && !unsure && (unconfirmed || refused >= count);
    if (!certain || kept.isEmpty()) {
      return List.of();
    }
    List<Pending> back = new ArrayList<>(kept);
    drop();
    return back;
  }

  private void begin(Association association) {
    clear();
    by = association;
    unsure = false;
  }

  /** Forgets all messages. */
  void clear() {
    drop();
    whole = true;
    unconfirmed = false;
    count = 0;
    refused = 0;
  }

  private void drop() {
    budget.give(bytes);
    bytes = 0;
    kept.clear();
  }
}
