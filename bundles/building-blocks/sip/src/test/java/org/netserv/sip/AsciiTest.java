// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Searches with eight bytes at a time must find the same as searches byte by byte. */
class AsciiTest {
  private static final ByteOrder[] ORDERS = {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN};

  private static ByteBuffer buffer(byte[] bytes, ByteOrder order) {
    return ByteBuffer.wrap(bytes).order(order);
  }

  private static long wordByByte(byte[] bytes, int start, int end) {
    long word = 0;
    for (int i = start; i < start + Long.BYTES; i++) {
      word = word << 8 | (i < end ? bytes[i] & 0xff : 0);
    }
    return word;
  }

  @Test
  void wordOfEachLengthAtEachPlaceUpToTheLimit() {
    byte[] bytes = new byte[20];
    new Random(1).nextBytes(bytes);
    for (ByteOrder order : ORDERS) {
      for (int start = 0; start <= bytes.length; start++) {
        for (int end = start; end <= bytes.length; end++) {
          assertEquals(wordByByte(bytes, start, end), Ascii.word(buffer(bytes, order), start, end));
        }
      }
    }
  }

  @Test
  void lowerChangesCapitalLettersAlone() {
    for (int c = 0; c < 256; c++) {
      long expected = c >= 'A' && c <= 'Z' ? c + 0x20 : c;
      for (int place = 0; place < Long.SIZE; place += 8) {
        assertEquals(expected << place, ByteWords.lower((long) c << place));
        long beside = ~(0xffL << place) & 0xff40_5a5b_807f_7a61L;
        assertEquals(
            expected << place | lowerByByte(beside), ByteWords.lower((long) c << place | beside));
      }
    }
  }

  private static long lowerByByte(long word) {
    long lower = 0;
    for (int place = 0; place < Long.SIZE; place += 8) {
      long c = word >>> place & 0xff;
      lower |= (c >= 'A' && c <= 'Z' ? c + 0x20 : c) << place;
    }
    return lower;
  }

  @Test
  void searchesAndClassesAgreeWithOneByteAtATime() {
    Random random = new Random(2);
    byte[] near = {
      '\t', '\n', '\r', ' ', 0x1f, '!', '"', '<', '=', '>', '?', '@', 0x7f, (byte) 0x8d, (byte) 0xc0
    };
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = new byte[random.nextInt(30)];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = random.nextInt(9) == 0 ? near[random.nextInt(near.length)] : (byte) 'x';
      }
      ByteBuffer buffer = buffer(bytes, ORDERS[round & 1]);
      int start = random.nextInt(bytes.length + 1);
      int end = start + random.nextInt(bytes.length - start + 1);
      int line = start;
      while (line < end && bytes[line] != '\r' && bytes[line] != '\n') {
        line++;
      }
      int mark = start;
      while (mark < end && bytes[mark] != '@') {
        mark++;
      }
      int printable = start;
      while (printable < end && bytes[printable] > ' ' && bytes[printable] < 0x7f) {
        printable++;
      }
      assertEquals(line, Ascii.lineEnd(buffer, start, end));
      assertEquals(mark, Ascii.indexOf(buffer, start, end, '@'));
      assertEquals(printable, Ascii.skipPrintable(buffer, start, end));
      int uri = start;
      while (uri < printable && "<>\"".indexOf(bytes[uri]) < 0) {
        uri++;
      }
      assertEquals(uri, Ascii.skip(buffer, start, end, Ascii.URI));
    }
  }

  @Test
  void aNameThatDiffersAnywhereIsAnother() {
    for (SipHeader header : SipHeader.values()) {
      for (String name : new String[] {header.text(), header.text().toLowerCase(Locale.ROOT)}) {
        for (int i = 0; i < name.length(); i++) {
          for (int flip : new int[] {1, 0x20, 0x40, 0x80}) {
            byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
            boolean letter = Character.isLetter(name.charAt(i));
            bytes[i] ^= (byte) flip;
            SipHeader found = SipHeader.of(ByteBuffer.wrap(bytes), 0, bytes.length);
            assertEquals(letter && flip == 0x20 ? header : SipHeader.OTHER, found, name + i + flip);
          }
        }
      }
    }
  }

  @Test
  void methodsAreTheirNamesAndNothingElse() {
    for (SipMethod method : SipMethod.values()) {
      for (String name : new String[] {method.name(), method.name() + "X", "X" + method.name()}) {
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        SipMethod expected = name.equals(method.name()) ? method : SipMethod.OTHER;
        assertEquals(expected, SipMethod.of(ByteBuffer.wrap(bytes), 0, bytes.length));
      }
    }
  }
}
