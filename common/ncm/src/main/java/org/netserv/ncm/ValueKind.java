// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;

/**
 * Converts a header's canonical text into the value of its TLV, and back. {@code
 * toText(toBytes(t))} is t for every canonical t. Numbers are big-endian.
 */
public enum ValueKind {
  /** UTF-8, as it stands in the text form. */
  TEXT {
    @Override
    byte[] toBytes(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    String toText(byte[] bytes) throws BadValueException {
      return strictUtf8(bytes);
    }
  },
  /** A decimal in 4 bytes. */
  UINT32 {
    @Override
    byte[] toBytes(String text) {
      return ByteBuffer.allocate(4).putInt(Integer.parseUnsignedInt(text)).array();
    }

    @Override
    String toText(byte[] bytes) throws BadValueException {
      return Integer.toUnsignedString(sized(bytes, 4).getInt());
    }
  },
  /** A decimal in 8 bytes. */
  UINT64 {
    @Override
    byte[] toBytes(String text) {
      return ByteBuffer.allocate(8).putLong(Long.parseUnsignedLong(text)).array();
    }

    @Override
    String toText(byte[] bytes) throws BadValueException {
      return Long.toUnsignedString(sized(bytes, 8).getLong());
    }
  },
  /** A date: seconds since 1970 in 8 bytes. */
  SECONDS {
    @Override
    byte[] toBytes(String text) {
      return ByteBuffer.allocate(8).putLong(Instant.parse(text).getEpochSecond()).array();
    }

    @Override
    String toText(byte[] bytes) throws BadValueException {
      long seconds = sized(bytes, 8).getLong();
      if (seconds < 0 || seconds > HeaderValues.LAST_SECOND) {
        throw new BadValueException("seconds outside the years 1970 to 9999");
      }
      return Instant.ofEpochSecond(seconds).toString();
    }
  },
  /** Hexadecimal text, raw bytes. */
  HEX {
    @Override
    byte[] toBytes(String text) {
      return HexFormat.of().parseHex(text);
    }

    @Override
    String toText(byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
  },
  /** Base64 text, raw bytes. */
  BASE64 {
    @Override
    byte[] toBytes(String text) {
      return Base64.getDecoder().decode(text);
    }

    @Override
    String toText(byte[] bytes) {
      return Base64.getEncoder().encodeToString(bytes);
    }
  },
  /** An address literal, 4 or 16 bytes. */
  ADDRESS {
    @Override
    byte[] toBytes(String text) {
      try {
        return Addresses.parse(text).getAddress();
      } catch (BadValueException e) {
        throw new IllegalArgumentException(e);
      }
    }

    @Override
    String toText(byte[] bytes) throws BadValueException {
      return address(bytes);
    }
  };

  /** Converts canonical text only. {@link Header#canonical} has checked the value. */
  abstract byte[] toBytes(String text);

  /** Converts the value to text that may still break the header's own rules. */
  abstract String toText(byte[] bytes) throws BadValueException;

  public static String strictUtf8(byte[] bytes) throws BadValueException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new BadValueException("not UTF-8", e);
    }
  }

  private static String address(byte[] bytes) throws BadValueException {
    if (bytes.length != 4 && bytes.length != 16) {
      throw new BadValueException("an address has 4 or 16 bytes, not " + bytes.length);
    }
    String text = Addresses.print(Addresses.of(bytes));
    if (bytes.length == 16 && text.indexOf(':') < 0) {
      throw new BadValueException("an IPv4 address has 4 bytes, not the mapped form");
    }
    return text;
  }

  private static ByteBuffer sized(byte[] bytes, int length) throws BadValueException {
    if (bytes.length != length) {
      throw new BadValueException(length + " bytes wanted, not " + bytes.length);
    }
    return ByteBuffer.wrap(bytes);
  }
}
