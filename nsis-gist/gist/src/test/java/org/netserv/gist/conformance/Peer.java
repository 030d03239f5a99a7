// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

/**
 * Messages of other nodes, written down field by field (RFC 5971 appendix A), for the flow of
 * {@link Bench}. Tests change a message by leaving out, adding or replacing objects.
 */
final class Peer {
  static final String FLOW =
      """
      0a000009                  # source 10.0.0.9
      0a000909                  # destination 10.0.9.9
      20 20 00 00               # prefixes 32, protocol and DS field not significant
      """;
  static final String MRI = object("0000", "00 00 4000" + FLOW); // path-coupled, IPv4, downstream
  static final String MRI_UP = object("0000", "00 00 4020" + FLOW); // the same with D=1
  static final String SID = object("0001", "000102030405060708090a0b0c0d0e0f");
  static final String OTHER_SID = object("0001", "f00102030405060708090a0b0c0d0e0f");

  /** NLI of the node at 10.0.1.7. */
  static final String WEST =
      object(
          "0002",
          """
          04 40 40 00               # 4 bytes of identity, sent with TTL 64, IPv4
          00007530                  # valid for 30,000 ms
          aabbccdd
          0a000107
          """);

  /** NLI of the node at 10.0.2.7, upstream: TTL 0, it knows no distance. */
  static final String EAST = object("0002", "04 00 40 00  00007530  eeff0011  0a000207");

  static final String QUERY_COOKIE = object("0005", "a1a2a3a4 a5a6a7a8");
  static final String RESPONDER_COOKIE = object("0006", "b1b2b3b4 b5b6b7b8 b9babbbc");

  /** One profile, TCP. */
  static final String PROPOSAL = object("0003", "01 000000  01 01 0000");

  /** Both profiles, TLS over TCP first. */
  static final String PROPOSAL_TLS = object("0003", "02 000000  02 02 01 00  01 01 0000");

  /** Hold time 30 s; TCP in all profiles, no data, as in a Query. */
  static final String CONFIGURATION = object("0004", "01 000000  00007530  01 00 00 00");

  /** Hold time 30 s; TCP with port 0x3333, as in a Response. */
  static final String CONFIGURATION_PORT =
      object("0004", "01 000000  00007530  01 00 02 00  3333 0000");

  /** The hold time alone, as in the first Confirm of an association. */
  static final String HOLD = object("0004", "00 000000  00007530");

  static final String PAYLOAD = "01020304 05060708";
  static final String DATA = object("0008", PAYLOAD);

  // Common headers without the length: version, hops, NSLPID, C and type, S R E.
  static final String QUERY_HEADER = "01 20 7fc6 80 40";
  static final String RESPONSE_HEADER = "01 20 7fc6 01 c0";
  static final String CONFIRM_HEADER = "01 20 7fc6 02 80";
  static final String DATA_HEADER = "01 20 7fc6 03 80";
  static final String ERROR_HEADER = "01 20 0000 04 80";
  static final String HELLO_HEADER = "01 20 0000 05 80";

  /** A Query of the node in the west, S=0. */
  static final String QUERY = message(QUERY_HEADER, MRI, SID, WEST, QUERY_COOKIE);

  /** A Query that wants an association. */
  static final String QUERY_ASSOCIATION =
      message(QUERY_HEADER, MRI, SID, WEST, QUERY_COOKIE, PROPOSAL, CONFIGURATION);

  private Peer() {}

  /** Returns the Confirm of the node in the west, D-mode. */
  static String confirm(String responderCookie) {
    return message(CONFIRM_HEADER, MRI, SID, WEST, object("0006", responderCookie));
  }

  /** Returns Data of the node in the west, D-mode. */
  static String data(String payload) {
    return message(DATA_HEADER, MRI, SID, WEST, object("0008", payload));
  }

  /** Returns Data by an association: no NLI. */
  static String associationData(String payload) {
    return message(DATA_HEADER, MRI, SID, object("0008", payload));
  }

  /**
   * Returns the Response of the node in the east to a Query of ours, D-mode, that wants a Confirm.
   */
  static String response(String queryCookie) {
    return message(
        RESPONSE_HEADER, MRI_UP, SID, EAST, object("0005", queryCookie), RESPONDER_COOKIE);
  }

  /** Returns a Response that offers TCP at port 0x3333. */
  static String responseWithOffer(String queryCookie) {
    return message(
        RESPONSE_HEADER,
        MRI_UP,
        SID,
        EAST,
        object("0005", queryCookie),
        RESPONDER_COOKIE,
        PROPOSAL,
        CONFIGURATION_PORT);
  }

  /**
   * Returns an Error about a message of ours, from 10.0.2.7.
   *
   * @param code class, code, subcode: "02 0005 00"
   * @param header the first 8 bytes of the message that it is about
   */
  static String error(String code, String header) {
    String flow = MRI.substring(8);
    return message(
        ERROR_HEADER,
        EAST,
        object(
            "0009",
            code
                + "d000 "
                + String.format("%02x", flow.length() / 8)
                + "00" // S, M, D: session and MRI follow, it came in D-mode
                + header
                + SID.substring(8)
                + flow));
  }

  /**
   * Returns the Response of the node in the east to that Query by an existing association: no
   * offer.
   */
  static String reused(Seen query) {
    return message(
        RESPONSE_HEADER,
        MRI_UP,
        object("0001", query.object(Seen.SID)),
        EAST,
        object("0005", query.object(Seen.QUERY_COOKIE)),
        RESPONDER_COOKIE);
  }

  /** Returns Message Too Large about that Query, from a router on the way. */
  static String tooLarge(Seen query, int mtu) {
    String flow = MRI.substring(8);
    return message(
        ERROR_HEADER,
        EAST,
        object(
            "0009",
            "04 0008 00  d800 04 01" // S, M, D, Q; one additional field
                + String.format("01%02x%04x7fc68040", query.hops(), 0)
                + SID.substring(8)
                + flow
                + "0002 0001"
                + String.format("%04x0000", mtu)));
  }
}
