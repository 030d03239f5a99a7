// SPDX-License-Identifier: Apache-2.0
package org.netserv.netmonitor.ipfix;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The records that are exported, as templates describe them (RFC 7011, 3.4). Numbers of elements
 * are those of IANA's registry of IPFIX information elements.
 */
enum Template {
  /** Packets of one row, over IPv4. */
  FLOW_4(
      256,
      0,
      Element.SOURCE_4,
      Element.DESTINATION_4,
      Element.VERSION,
      Element.TTL,
      Element.PACKETS,
      Element.OCTETS,
      Element.FIRST,
      Element.LAST,
      Element.SELECTOR),
  /** Packets of one row, over IPv6. */
  FLOW_6(
      257,
      0,
      Element.SOURCE_6,
      Element.DESTINATION_6,
      Element.VERSION,
      Element.TTL,
      Element.PACKETS,
      Element.OCTETS,
      Element.FIRST,
      Element.LAST,
      Element.SELECTOR),
  /** The share of packets that the counts are of: one of so many, by their number (RFC 5477). */
  SAMPLING(
      258, 1, Element.DOMAIN, Element.SELECTOR, Element.ALGORITHM, Element.INTERVAL, Element.SPACE),
  /** Packets that are in no flow record (RFC 7011, 4.3). */
  LOST(259, 1, Element.DOMAIN, Element.LOST_PACKETS, Element.LOST_OCTETS),
  /** The same share for collectors that know no selectors, such as nfdump 1.7.1. */
  SHARE(260, 1, Element.DOMAIN, Element.SAMPLING_INTERVAL);

  private static final int TEMPLATE_SET = 2;
  private static final int OPTIONS_SET = 3;

  /** Information elements, with the bytes that they have here. */
  private enum Element {
    OCTETS(1, 8),
    PACKETS(2, 8),
    SOURCE_4(8, 4),
    DESTINATION_4(12, 4),
    SOURCE_6(27, 16),
    DESTINATION_6(28, 16),
    SAMPLING_INTERVAL(34, 4),
    VERSION(60, 1),
    DOMAIN(149, 4),
    FIRST(152, 8),
    LAST(153, 8),
    LOST_PACKETS(167, 8),
    LOST_OCTETS(168, 8),
    TTL(192, 1),
    SELECTOR(302, 8),
    ALGORITHM(304, 2),
    INTERVAL(305, 4),
    SPACE(306, 4);

    private final int number;
    private final int bytes;

    Element(int number, int bytes) {
      this.number = number;
      this.bytes = bytes;
    }
  }

  final int id;
  private final int scopes; // elements that tell whose an option is; 0 = a flow

  @SuppressWarnings("ImmutableEnumChecker") // of List.of
  private final List<Element> elements;

  Template(int id, int scopes, Element... elements) {
    this.id = id;
    this.scopes = scopes;
    this.elements = List.of(elements);
  }

  /** Bytes of a record. */
  int bytes() {
    return elements.stream().mapToInt(element -> element.bytes).sum();
  }

  /** Bytes of the set that {@link #describe} writes. */
  int describedBytes() {
    return 4 + 4 + (scopes == 0 ? 0 : 2) + 4 * elements.size();
  }

  /** Writes a set with this template alone. */
  void describe(ByteBuffer out) {
    out.putShort((short) (scopes == 0 ? TEMPLATE_SET : OPTIONS_SET));
    out.putShort((short) describedBytes());
    out.putShort((short) id).putShort((short) elements.size());
    if (scopes > 0) {
      out.putShort((short) scopes);
    }
    for (Element element : elements) {
      out.putShort((short) element.number).putShort((short) element.bytes);
    }
  }
}
