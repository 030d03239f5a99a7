// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/**
 * PASSWORD-ALGORITHMS (RFC 8489, 14.11): entries like the value of {@link PasswordAlgorithm}, in
 * the server's order of preference. This server offers SHA-256, then MD5.
 */
public final class PasswordAlgorithms {
  private static final long OFFER =
      ((long) PasswordAlgorithm.SHA256.code() << 48) | ((long) PasswordAlgorithm.MD5.code() << 16);

  private PasswordAlgorithms() {}

  /** Adds this server's list. */
  public static void put(StunWriter writer) {
    writer.put64(StunAttribute.PASSWORD_ALGORITHMS, OFFER);
  }

  /** Tells whether the message carries this server's list unchanged (9.2.4). */
  public static boolean isOffer(StunMessage request) {
    int at = request.find(StunAttribute.PASSWORD_ALGORITHMS);
    return at >= 0
        && request.length(at) == 8
        && request.buffer().getLong(request.valueStart(at)) == OFFER;
  }

  /** Returns the first algorithm of an answer that this package knows, or null (9.2.5). */
  public static PasswordAlgorithm firstKnown(StunMessage answer) {
    int attribute = answer.find(StunAttribute.PASSWORD_ALGORITHMS);
    if (attribute < 0) {
      return null;
    }
    int end = answer.valueEnd(attribute);
    int at = answer.valueStart(attribute);
    while (at < end) { // the length is a multiple of 4, so an entry's head always fits
      PasswordAlgorithm known = PasswordAlgorithm.at(answer, at);
      if (known != null) {
        return known;
      }
      at += 4 + StunMessage.padded(answer.buffer().getShort(at + 2) & 0xffff);
    }
    return null;
  }
}
