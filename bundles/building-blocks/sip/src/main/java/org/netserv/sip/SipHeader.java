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

  private static final SipHeader[] ALL = values();

  /** No name has more bytes: three words. */
  private static final int LONGEST = 24;

  // The names in lower case, by place: three words each, the length (0 = free), the constant.
  private static final int PLACES = 256; // four times as many as there are names, a power of two
  private static final long[] NAMES = new long[3 * PLACES];
  private static final byte[] LENGTHS = new byte[PLACES];
  private static final byte[] INDEXES = new byte[PLACES];

  static {
    for (SipHeader header : ALL) {
      if (header != OTHER) {
        add(header, header.text);
      }
      if (header.compact != '\0') {
        add(header, String.valueOf(header.compact));
      }
    }
  }

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

  /** Returns the constant at this place of a table of {@link #COUNT} rows. */
  static SipHeader at(int index) {
    return ALL[index];
  }

  /** Returns the place of this constant in a table of {@link #COUNT} rows. */
  @SuppressWarnings("EnumOrdinal") // an EnumMap boxes what the tables hold as ints
  public int index() {
    return ordinal();
  }

  /** Returns the header of this name in any case, long or compact. */
  public static SipHeader of(ByteBuffer buffer, int start, int end) {
    int length = end - start;
    if (length < 1 || length > LONGEST) {
      return OTHER;
    }
    return ALL[
        find(
            Ascii.word(buffer, start, end),
            length > 8 ? Ascii.word(buffer, start + 8, end) : 0,
            length > 16 ? Ascii.word(buffer, start + 16, end) : 0,
            length)];
  }

  /**
   * Returns {@code index << 8 | length} of the known name at {@code at} that a colon follows at
   * once, or -1. So it answers for nearly every header line, after one or two words.
   */
  static int named(ByteBuffer buffer, int at, int end) {
    if (at > end - 8) {
      return -1;
    }
    long first = ByteWords.at(buffer, at);
    long colons = ByteWords.zeros(first ^ ByteWords.COLONS);
    if (colons != 0) {
      int length = ByteWords.first(colons);
      return known(ByteWords.keep(first, length), 0, 0, length);
    }
    if (at > end - 16) {
      return -1;
    }
    long second = ByteWords.at(buffer, at + 8);
    colons = ByteWords.zeros(second ^ ByteWords.COLONS);
    if (colons != 0) {
      int length = ByteWords.first(colons);
      return known(first, ByteWords.keep(second, length), 0, 8 + length);
    }
    if (at > end - 24) {
      return -1;
    }
    long third = ByteWords.at(buffer, at + 16);
    int length = ByteWords.first(ByteWords.zeros(third ^ ByteWords.COLONS));
    return known(first, second, ByteWords.keep(third, length), 16 + length);
  }

  private static int known(long first, long second, long third, int length) {
    int index = find(first, second, third, length);
    return index == ALL.length - 1 ? -1 : index << 8 | length;
  }

  /** Returns the index of the name in these words, or of OTHER. */
  private static int find(long first, long second, long third, int length) {
    long word = ByteWords.lower(first);
    for (int i = place(word, length); LENGTHS[i] != 0; i = i + 1 & PLACES - 1) {
      if (NAMES[3 * i] == word
          && LENGTHS[i] == length
          && (length <= 8
              || (NAMES[3 * i + 1] == ByteWords.lower(second)
                  && NAMES[3 * i + 2] == ByteWords.lower(third)))) {
        return INDEXES[i];
      }
    }
    return ALL.length - 1;
  }

  private static int place(long word, int length) {
    return (int) (((word + length) * 0x9e3779b97f4a7c15L) >>> 56);
  }

  private static void add(SipHeader header, String text) {
    byte[] name = text.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.US_ASCII);
    ByteBuffer bytes = ByteBuffer.wrap(Arrays.copyOf(name, LONGEST));
    int i = place(bytes.getLong(0), name.length);
    while (LENGTHS[i] != 0) {
      i = i + 1 & PLACES - 1;
    }
    for (int word = 0; word < 3; word++) {
      NAMES[3 * i + word] = bytes.getLong(8 * word);
    }
    LENGTHS[i] = (byte) name.length;
    INDEXES[i] = (byte) header.index();
  }
}
