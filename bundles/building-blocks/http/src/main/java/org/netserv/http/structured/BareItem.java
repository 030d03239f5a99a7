// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.structured;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * A value of one of the eight types of RFC 9651 section 3.3. Constructors throw
 * IllegalArgumentException for values that the type cannot hold.
 */
public sealed interface BareItem {
  /** The value true, the one that parameters and members without a value have. */
  BareItem TRUE = new Bool(true);

  /** The largest Integer; the smallest is its negative. */
  long MOST = 999_999_999_999_999L;

  /** An Integer of at most 15 digits (3.3.1). */
  record Int(long value) implements BareItem {
    public Int {
      require(value >= -MOST && value <= MOST, "an Integer has at most 15 digits");
    }
  }

  /**
   * A Decimal (3.3.2): at most 12 digits in front of the point and 3 behind it. More digits behind
   * the point are rounded half to even.
   */
  record Decimal(BigDecimal value) implements BareItem {
    private static final BigDecimal LIMIT = new BigDecimal("1000000000000");

    public Decimal {
      value = value.setScale(3, RoundingMode.HALF_EVEN);
      require(value.abs().compareTo(LIMIT) < 0, "a Decimal has at most 12 digits and 3 more");
    }
  }

  /** A String of printable ASCII (3.3.3). */
  record Text(String value) implements BareItem {
    public Text {
      require(value.chars().allMatch(c -> c >= 0x20 && c < 0x7f), "a String is of printable ASCII");
    }
  }

  /** A Token (3.3.4): a letter or * first, then token characters, colons and slashes. */
  record Token(String value) implements BareItem {
    public Token {
      require(
          !value.isEmpty()
              && Syntax.beginsToken(value.charAt(0))
              && value.chars().allMatch(Syntax::isInToken),
          "a Token begins with a letter or *, and has token characters, : and / only");
    }
  }

  /** A Byte Sequence (3.3.5), held in base64 so that the value is immutable. */
  record Bytes(String base64) implements BareItem {
    public Bytes {
      // Decoded and encoded again, so that equal bytes are equal values.
      base64 = Base64.getEncoder().encodeToString(Base64.getDecoder().decode(base64));
    }

    /** Wraps a copy of the bytes. */
    public static Bytes of(byte[] bytes) {
      return new Bytes(Base64.getEncoder().encodeToString(bytes));
    }

    /** Copies the bytes out. */
    public byte[] copy() {
      return Base64.getDecoder().decode(base64);
    }
  }

  /** A Boolean (3.3.6). */
  record Bool(boolean value) implements BareItem {}

  /** A Date (3.3.7) in seconds since 1970. */
  record Date(long seconds) implements BareItem {
    public Date {
      require(seconds >= -MOST && seconds <= MOST, "a Date has at most 15 digits");
    }
  }

  /** A Display String (3.3.8) of Unicode without lone surrogates. */
  record Display(String value) implements BareItem {
    public Display {
      require(isUnicode(value), "a Display String has no lone surrogates");
    }

    private static boolean isUnicode(String value) {
      try {
        StandardCharsets.UTF_8.newEncoder().encode(java.nio.CharBuffer.wrap(value));
        return true;
      } catch (CharacterCodingException e) {
        return false;
      }
    }
  }

  private static void require(boolean right, String rule) {
    if (!right) {
      throw new IllegalArgumentException(rule);
    }
  }
}
