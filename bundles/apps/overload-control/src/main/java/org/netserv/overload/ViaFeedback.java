// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.nio.charset.StandardCharsets;
import org.netserv.overload.feedback.Feedback;
import org.netserv.overload.feedback.FeedbackKind;
import org.netserv.sip.SipOverload;

/**
 * The server's feedback in responses, by RFC 7339, 5.4: only a greater {@code oc-seq} is news. A
 * number that is far below the last one tells that the server's numbers began anew (4.4).
 */
final class ViaFeedback {
  private static final byte[] LOSS = "loss".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] RATE = "rate".getBytes(StandardCharsets.US_ASCII);

  /** Units of 10 microseconds by which a tardy response may be behind: 60 s. */
  private static final long TARDY = 6_000_000;

  private static final int ALL = 100;

  private long last = SipOverload.ABSENT;

  /**
   * Returns the feedback if it is news, or null. Allocates for news, which are few.
   *
   * @param overload with a value of {@code oc}
   */
  Feedback news(SipOverload overload) {
    long sequence = overload.sequence();
    boolean loss = !overload.hasAlgorithm() || overload.isAlgorithm(LOSS);
    if (sequence == SipOverload.ABSENT || (!loss && !overload.isAlgorithm(RATE))) {
      return null; // 5.2: a server MUST insert oc-seq, and MUST choose one algorithm of the offer
    }
    if (sequence <= last && last - sequence < TARDY) {
      return null;
    }
    last = sequence;
    int validity =
        overload.validity() == SipOverload.ABSENT
            ? SipOverload.VALIDITY_DEFAULT
            : Math.min(overload.validity(), Feedback.VALIDITY_MOST);
    FeedbackKind kind = loss ? FeedbackKind.LOSS : FeedbackKind.RATE;
    int value = loss ? Math.min(overload.oc(), ALL) : overload.oc();
    return new Feedback(kind, value, validity, Math.max(1, sequence));
  }
}
