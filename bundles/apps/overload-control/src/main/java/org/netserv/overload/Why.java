// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

/**
 * The outcome of a packet and the reason for it. The reason stands in a trace, and its name is the
 * name of a counter.
 */
enum Why {
  // requests of a new transaction
  ADMITTED("new request, admitted"),
  PREFERRED("emergency or Resource-Priority, admitted"),
  DIALOG("request inside a dialog, admitted"),
  EXEMPT("ACK, CANCEL, BYE or PRACK, never rejected"),
  REJECTED("503: server overloaded"),
  REJECTED_SHARE("503: more than the share of its source"),
  REJECTED_BLOCKED("503: the stream to the server takes no bytes"),

  // requests of a known transaction
  REPEATED("repetition of an admitted request: the server's to answer"),
  TRYING("repetition of a request that the server works on: answered by 100"),
  REJECTED_AGAIN("repetition of a rejected request: same 503"),
  ACK_ABSORBED("ACK of a 503 from here, absorbed"),
  CANCEL_ANSWERED("CANCEL of a rejected INVITE, answered by 200"),

  // responses
  RESPONSE("response of the server"),
  RESPONSE_STRIPPED("response of the server, without our Via parameters"),
  RESPONSE_UNKNOWN("response to no request seen here"),
  RESPONSE_USER("response of a user to a request of the server"),
  SERVER("request of the server, or a response that no request here can have"),

  // not a packet to look into
  NOT_UDP("not UDP"),
  FRAGMENT("fragment"),
  SAMPLE("sample: already gone on"),
  ADDRESS("multicast, broadcast or unspecified address"),
  NOT_SIP("not SIP: does not begin with a letter"),
  MALFORMED("SIP: malformed message"),
  BARE_LF("SIP: line ended by LF alone"),
  NO_KEY("SIP: Via, From, To, Call-ID or CSeq missing, repeated or malformed"),
  TOO_LONG("503 would not fit: request dropped");

  private final String text;

  Why(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }

  /** Tells whether it is a request that counts as load: of a new transaction, or exempt. */
  boolean isOffered() {
    return switch (this) {
      case ADMITTED, PREFERRED, DIALOG, EXEMPT, REJECTED, REJECTED_SHARE, REJECTED_BLOCKED -> true;
      default -> false;
    };
  }

  boolean isAdmitted() {
    return isOffered() && !isRejected();
  }

  boolean isRejected() {
    return this == REJECTED || this == REJECTED_SHARE || this == REJECTED_BLOCKED;
  }

  boolean isRepetition() {
    return this == REPEATED || this == TRYING || this == REJECTED_AGAIN;
  }
}
