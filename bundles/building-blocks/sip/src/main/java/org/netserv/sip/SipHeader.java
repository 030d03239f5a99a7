// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

  private static final int LONGEST = 32;
  private static final byte[][] LOWER = lower();
  private static final SipHeader[][] BY_LENGTH = byLength();
  private static final SipHeader[] BY_COMPACT = byCompact();

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

  /** The header of this name in any case, long or compact. */
  public static SipHeader of(ByteBuffer buffer, int start, int end) {
    int length = end - start;
    if (length == 1) {
      int letter = buffer.get(start) | 0x20;
      return letter >= 'a' && letter <= 'z' ? BY_COMPACT[letter - 'a'] : OTHER;
    }
    if (length < 1 || length > LONGEST) {
      return OTHER;
    }
    for (SipHeader header : BY_LENGTH[length]) {
      if (Ascii.equalIgnoreCase(buffer, start, end, LOWER[header.index()])) {
        return header;
      }
    }
    return OTHER;
  }

  private static byte[][] lower() {
    return Arrays.stream(values())
        .map(header -> header.text.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.US_ASCII))
        .toArray(byte[][]::new);
  }

  private static SipHeader[][] byLength() {
    List<List<SipHeader>> rows = new ArrayList<>();
    for (int i = 0; i <= LONGEST; i++) {
      rows.add(new ArrayList<>());
    }
    for (SipHeader header : values()) {
      rows.get(header.text.length()).add(header);
    }
    return rows.stream().map(row -> row.toArray(SipHeader[]::new)).toArray(SipHeader[][]::new);
  }

  private static SipHeader[] byCompact() {
    SipHeader[] table = new SipHeader[26];
    Arrays.fill(table, OTHER);
    for (SipHeader header : values()) {
      if (header.compact != '\0') {
        table[header.compact - 'a'] = header;
      }
    }
    return table;
  }
}
