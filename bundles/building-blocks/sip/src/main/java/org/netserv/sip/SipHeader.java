// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/** Header names known by number, with their compact forms; every other name is {@link #OTHER}. */
public enum SipHeader {
  ACCEPT("Accept"),
  ACCEPT_CONTACT("Accept-Contact", 'a'),
  ALLOW("Allow"),
  ALLOW_EVENTS("Allow-Events", 'u'),
  AUTHORIZATION("Authorization"),
  CALL_ID("Call-ID", 'i'),
  CONTACT("Contact", 'm'),
  CONTENT_ENCODING("Content-Encoding", 'e'),
  CONTENT_LENGTH("Content-Length", 'l'),
  CONTENT_TYPE("Content-Type", 'c'),
  CSEQ("CSeq"),
  DATE("Date"),
  EVENT("Event", 'o'),
  EXPIRES("Expires"),
  FROM("From", 'f'),
  IDENTITY("Identity", 'y'),
  MAX_FORWARDS("Max-Forwards"),
  PATH("Path"),
  PROXY_AUTHORIZATION("Proxy-Authorization"),
  PROXY_REQUIRE("Proxy-Require"),
  RECORD_ROUTE("Record-Route"),
  REFER_TO("Refer-To", 'r'),
  REFERRED_BY("Referred-By", 'b'),
  REJECT_CONTACT("Reject-Contact", 'j'),
  REQUEST_DISPOSITION("Request-Disposition", 'd'),
  REQUIRE("Require"),
  RESOURCE_PRIORITY("Resource-Priority"),
  RETRY_AFTER("Retry-After"),
  ROUTE("Route"),
  SESSION_EXPIRES("Session-Expires", 'x'),
  SUBJECT("Subject", 's'),
  SUBSCRIPTION_STATE("Subscription-State"),
  SUPPORTED("Supported", 'k'),
  TO("To", 't'),
  USER_AGENT("User-Agent"),
  VIA("Via", 'v'),
  OTHER("");

  /** Number of constants, for tables indexed by {@link #index()}. */
  public static final int COUNT = values().length;

  /** No name has more bytes. */
  static final int LONGEST = 32;

  private static final int PLACES = 256; // four times as many as there are names, a power of two
  private static final Name[] NAMES = names();

  private final String text;
  private final char compact;

  SipHeader(String text) {
    this(text, '\0');
  }

  SipHeader(String text, char compact) {
    this.text = text;
    this.compact = compact;
  }

  /** The long form as RFC 3261 spells it. */
  public String text() {
    return text;
  }

  /** Place of this constant in a table of {@link #COUNT} rows. */
  @SuppressWarnings("EnumOrdinal") // an EnumMap boxes what the tables hold as ints
  public int index() {
    return ordinal();
  }

  /** A name in lower case: its first eight bytes, and those behind them. */
  private static final class Name {
    final SipHeader header;
    final int length;
    final long word;
    final byte[] rest;

    Name(SipHeader header, String text) {
      byte[] ascii = text.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.US_ASCII);
      this.header = header;
      length = ascii.length;
      word = Ascii.word(ascii);
      rest = Arrays.copyOfRange(ascii, Math.min(length, Long.BYTES), length);
    }
  }

  /** The header of this name in any case, long or compact. */
  public static SipHeader of(ByteBuffer buffer, int start, int end) {
    int length = end - start;
    if (length < 1 || length > LONGEST) {
      return OTHER;
    }
    long word = Ascii.lower(Ascii.word(buffer, start, end));
    for (int i = place(word, length); NAMES[i] != null; i = i + 1 & PLACES - 1) {
      Name name = NAMES[i];
      if (name.word == word
          && name.length == length
          && (length <= Long.BYTES
              || Ascii.equalIgnoreCase(buffer, start + Long.BYTES, end, name.rest))) {
        return name.header;
      }
    }
    return OTHER;
  }

  private static int place(long word, int length) {
    return (int) (((word + length) * 0x9e3779b97f4a7c15L) >>> 56);
  }

  private static Name[] names() {
    Name[] table = new Name[PLACES];
    for (SipHeader header : values()) {
      if (header != OTHER) {
        add(table, new Name(header, header.text));
      }
      if (header.compact != '\0') {
        add(table, new Name(header, String.valueOf(header.compact)));
      }
    }
    return table;
  }

  private static void add(Name[] table, Name name) {
    int i = place(name.word, name.length);
    while (table[i] != null) {
      i = i + 1 & PLACES - 1;
    }
    table[i] = name;
  }
}
