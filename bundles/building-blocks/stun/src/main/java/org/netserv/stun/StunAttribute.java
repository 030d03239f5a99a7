// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

/**
 * The attribute types, grouped by the RFC that defines them, each with the lengths that its value
 * may have. {@link StunMessage#reset} checks these lengths, so that no reader of a value has to.
 */
public enum StunAttribute {
  // RFC 8489
  MAPPED_ADDRESS(0x0001, 8, 20),
  USERNAME(0x0006, 0, 513),
  MESSAGE_INTEGRITY(0x0008, 20, 20),
  ERROR_CODE(0x0009, 4, 4 + 763),
  UNKNOWN_ATTRIBUTES(0x000a, 0, 0xffff),
  REALM(0x0014, 0, 763),
  NONCE(0x0015, 0, 763),
  MESSAGE_INTEGRITY_SHA256(0x001c, 16, 32),
  PASSWORD_ALGORITHM(0x001d, 4, 0xffff),
  USERHASH(0x001e, 32, 32),
  XOR_MAPPED_ADDRESS(0x0020, 8, 20),
  PASSWORD_ALGORITHMS(0x8002, 4, 0xffff),
  ALTERNATE_DOMAIN(0x8003, 0, 255),
  SOFTWARE(0x8022, 0, 763),
  ALTERNATE_SERVER(0x8023, 8, 20),
  FINGERPRINT(0x8028, 4, 4),

  // RFC 8656
  CHANNEL_NUMBER(0x000c, 4, 4),
  LIFETIME(0x000d, 4, 4),
  XOR_PEER_ADDRESS(0x0012, 8, 20),
  DATA(0x0013, 0, 0xffff),
  XOR_RELAYED_ADDRESS(0x0016, 8, 20),
  REQUESTED_ADDRESS_FAMILY(0x0017, 4, 4),
  EVEN_PORT(0x0018, 1, 1),
  REQUESTED_TRANSPORT(0x0019, 4, 4),
  DONT_FRAGMENT(0x001a, 0, 0),
  RESERVATION_TOKEN(0x0022, 8, 8),
  ADDITIONAL_ADDRESS_FAMILY(0x8000, 4, 4),
  ADDRESS_ERROR_CODE(0x8001, 4, 4 + 763),
  ICMP(0x8004, 8, 8),

  // drafts of RFC 8656: ADDITIONAL-ADDRESS-FAMILY, as coturn 4.6 sends it
  ADDITIONAL_ADDRESS_FAMILY_DRAFT(0x8032, 4, 4),

  // RFC 6062
  CONNECTION_ID(0x002a, 4, 4),

  // RFC 7635
  ACCESS_TOKEN(0x001b, 0, 0xffff),
  THIRD_PARTY_AUTHORIZATION(0x802e, 0, 763),

  // RFC 8016
  MOBILITY_TICKET(0x8030, 0, 0xffff),

  // RFC 5780
  CHANGE_REQUEST(0x0003, 4, 4),
  PADDING(0x0026, 0, 0xffff),
  RESPONSE_PORT(0x0027, 4, 4),
  RESPONSE_ORIGIN(0x802b, 8, 20),
  OTHER_ADDRESS(0x802c, 8, 20);

  private static final int OPTIONAL = 0x8000;
  private static final int BLOCK = 0x40; // all known types lie in the first 64 of either half
  private static final StunAttribute[] REQUIRED_ONES = new StunAttribute[BLOCK];
  private static final StunAttribute[] OPTIONAL_ONES = new StunAttribute[BLOCK];

  static {
    for (StunAttribute one : values()) {
      (one.isRequired() ? REQUIRED_ONES : OPTIONAL_ONES)[one.code & (OPTIONAL - 1)] = one;
    }
  }

  private final int code;
  private final int least;
  private final int most;

  StunAttribute(int code, int least, int most) {
    this.code = code;
    this.least = least;
    this.most = most;
  }

  /** The type's number, 16 bits. */
  public int code() {
    return code;
  }

  /** Tells whether an agent that does not know the type must refuse the message (RFC 8489, 14). */
  public boolean isRequired() {
    return isRequired(code);
  }

  /** Tells the same of a number that may be nobody's. */
  public static boolean isRequired(int code) {
    return code < OPTIONAL;
  }

  /** Returns the type with this number, or null if this package does not know it. */
  public static StunAttribute of(int code) {
    int index = code & (OPTIONAL - 1);
    return index >= BLOCK ? null : (isRequired(code) ? REQUIRED_ONES : OPTIONAL_ONES)[index];
  }

  /** Tells whether a value may have so many bytes. */
  boolean mayHave(int length) {
    return switch (this) {
      case MAPPED_ADDRESS,
          XOR_MAPPED_ADDRESS,
          XOR_PEER_ADDRESS,
          XOR_RELAYED_ADDRESS,
          ALTERNATE_SERVER,
          RESPONSE_ORIGIN,
          OTHER_ADDRESS ->
          length == least || length == most;
      case MESSAGE_INTEGRITY_SHA256, PASSWORD_ALGORITHM, PASSWORD_ALGORITHMS ->
          length >= least && length <= most && length % 4 == 0;
      case UNKNOWN_ATTRIBUTES -> length % 2 == 0;
      default -> length >= least && length <= most;
    };
  }
}
