// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

/**
 * The outcome of a packet and the reason for it. The reason stands in a trace, and its name is the
 * name of a counter.
 */
enum Why {
  // answered or swallowed at the edge
  NOTIFY("NOTIFY keep-alive answered"),
  OPTIONS("OPTIONS to the server answered"),
  STUN("STUN binding request answered"),
  PING("ping swallowed"),

  // a keep-alive, and yet the server gets it
  FIRST("keep-alive of a new agent, let through"),
  TURN("keep-alive let through by pass-every"),
  REPEATED("repetition of one that was let through: the server's to answer"),
  SILENT("server seems silent: all let through"),
  DEAD("server does not answer the module's own OPTIONS: all let through"),
  TOO_LONG("reply would not fit the MTU"),

  // not a packet to look into
  NOT_UDP("not UDP"),
  FRAGMENT("fragment"),
  SAMPLE("sample: already gone on"),
  ADDRESS("multicast, broadcast or unspecified address"),
  EMPTY("empty datagram"),

  // STUN, but not ours to answer
  STUN_OFF("STUN is switched off"),
  STUN_TYPE("STUN: not a binding request"),
  STUN_MALFORMED("STUN: length, attribute or FINGERPRINT malformed"),
  STUN_CREDENTIALS("STUN: carries credentials"),

  // SIP, but not ours to answer
  MALFORMED("SIP: malformed message"),
  BARE_LF("SIP: line ended by LF alone"),
  RESPONSE("SIP: a response"),
  METHOD("SIP: another method"),
  EVENT("NOTIFY: Event is not keep-alive"),
  IN_DIALOG("To: tag present, belongs to a dialog"),
  NOT_THE_SERVER("Request-URI: not the server itself"),
  USER("Request-URI: names a user"),
  SCHEME("Request-URI: not a plain sip URI"),
  ROUTE("Route: present"),
  REQUIRE("Require or Proxy-Require: present"),
  MAX_FORWARDS("Max-Forwards: 0 or malformed"),
  MISSING("To, From, Call-ID, CSeq or Via: missing or more than one"),
  FROM_TO("From or To: malformed"),
  CALL_ID("Call-ID: malformed"),
  CSEQ("CSeq: malformed or of another method"),
  VIA("Via: malformed"),
  VIA_TRANSPORT("Via: topmost transport is not UDP"),
  VIA_MADDR("Via: maddr present"),
  VIA_KEEP("Via: keep present, and the server has not said how often"),
  BODY("body: present");

  private final String text;

  Why(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }

  boolean isKeepAlive() {
    return this == NOTIFY || this == OPTIONS || this == STUN || this == PING;
  }
}
