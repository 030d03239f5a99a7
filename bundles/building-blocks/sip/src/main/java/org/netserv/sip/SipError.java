// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

/** A fault of a message or a value; {@link #OK} stands for none. */
public enum SipError {
  OK("ok"),
  /** The range does not lie inside the buffer. */
  RANGE("range outside the buffer"),
  EMPTY("empty message"),
  /** The first line is neither a request line nor a status line, or is spaced wrongly. */
  START_LINE("start line: malformed"),
  METHOD("start line: method is not a token"),
  REQUEST_URI("start line: Request-URI has a byte that no URI has"),
  VERSION("start line: version is not SIP/2.0"),
  STATUS_CODE("start line: status code is not three digits from 100 to 699"),
  HEADER_NAME("header: name is not a token"),
  HEADER_COLON("header: no colon after the name"),
  /** CR without LF. Some parsers end a line there and others do not, so nobody may act on it. */
  BARE_CR("header: CR without LF"),
  NO_EMPTY_LINE("header: message ends before the empty line"),
  TOO_MANY_HEADERS("header: more lines than the index holds"),
  CONTENT_LENGTH("Content-Length: not a number of at most nine digits"),
  CONTENT_LENGTH_REPEATED("Content-Length: more than one"),
  CONTENT_LENGTH_BEYOND("Content-Length: more than the datagram holds"),
  /** Fault of a stream, where nothing else marks the message's end. */
  CONTENT_LENGTH_ABSENT("Content-Length: absent from a stream's message"),
  /** State of a stream without a fault until now. */
  MORE("stream: ends before the message does"),
  VIA_PROTOCOL("Via: sent-protocol is not SIP/2.0/transport"),
  VIA_SENT_BY("Via: sent-by is not host[:port]"),
  CSEQ_NUMBER("CSeq: number is not below 2**31"),
  CSEQ_METHOD("CSeq: method is not a token"),
  URI_SCHEME("URI: no scheme"),
  URI_USER("URI: user part malformed"),
  URI_HOST("URI: host malformed"),
  URI_PORT("URI: port is not 1 to 65535"),
  URI_TAIL("URI: parameters or headers malformed"),
  ADDRESS("address: neither name-addr nor addr-spec"),
  PARAMETER("parameter: malformed"),
  PARAMETER_REPEATED("parameter: given twice"),
  QUOTE("quoted string: not closed");

  private final String text;

  SipError(String text) {
    this.text = text;
  }

  /** The fault in words. The text begins with the name of the field. */
  public String text() {
    return text;
  }
}
