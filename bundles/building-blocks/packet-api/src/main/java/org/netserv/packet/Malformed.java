// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

/** The reason not to show a packet to modules. The packet travels on untouched. */
public enum Malformed {
  /** Fewer bytes than the fixed IP header. */
  SHORT_HEADER,
  /** The IP version is neither 4 nor 6. */
  VERSION,
  /** IPv4: IHL below 5 words, or longer than the packet. */
  HEADER_LENGTH,
  /** The IP header claims more bytes than there are. */
  TRUNCATED,
  /** IPv6: payload length 0 with a payload, RFC 2675. */
  JUMBOGRAM,
  /** IPv6: an extension header reaches past the end. */
  EXTENSION_LENGTH,
  /**
   * IPv6: more extension headers than {@link Packet#MAX_EXTENSIONS}, or hop-by-hop options not
   * first.
   */
  EXTENSION_CHAIN,
  /** IPv6: a routing header with segments left. The checksums belong to another destination. */
  SOURCE_ROUTED,
  /** A fragment that would end past 65535 bytes. */
  FRAGMENT_RANGE,
  /** A first fragment without a whole transport header, RFC 1858. */
  TINY_FRAGMENT,
  /** UDP, TCP or ICMP: fewer bytes than the fixed header. */
  SHORT_TRANSPORT,
  /** UDP length or TCP data offset that does not fit the packet. */
  TRANSPORT_LENGTH
}
