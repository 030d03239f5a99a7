// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** A message that goes on to the next node differs only in the intended change. */
class RawMessageTest {
  /**
   * Returns a message with reserved bits set and unknown objects of both harmless kinds between the
   * others.
   */
  private static Edited odd(String name) {
    return Edited.of(name)
        .header(7, 0x40 | 0x1f)
        .patch(0, 5, 0x7f)
        .patch(2, 7, 0xff)
        .insert(2, Edited.object(2, 2001, "0badcafe00112233"))
        .insert(0, Edited.object(1, 2002, "deadbeef"))
        .insert(5, Edited.object(1, 2003, ""));
  }

  @Test
  void onlyTheHopsChange() {
    for (byte[] bytes : Vectors.all()) {
      byte[] out = RawMessage.withHops(bytes, 7);
      assertEquals(7, CommonHeader.peek(out).orElseThrow().hops());
      out[1] = bytes[1];
      assertArrayEquals(bytes, out);
    }
    byte[] odd = odd("query").bytes();
    byte[] expected = odd.clone();
    expected[1] = (byte) 255;
    assertArrayEquals(expected, RawMessage.withHops(odd, 255));
    assertThrows(IllegalArgumentException.class, () -> RawMessage.withHops(odd, 0));
    assertThrows(IllegalArgumentException.class, () -> RawMessage.withHops(odd, 256));
  }

  @Test
  void payloadIsReplacedInItsPlace() throws GistFormatException {
    Edited query = odd("query-payload").header(7, 0xc0 | 0x1f);
    query.insert(query.objects.size(), Edited.object(2, 2004, "55555555"));
    for (String payload : new String[] {"", "01020304", "0102030405060708090a0b0c0d0e0f10"}) {
      byte[] out = RawMessage.withData(query.bytes(), data(payload));
      assertArrayEquals(query.value(8, payload).bytes(), out);
      assertEquals(data(payload), GistMessage.decode(out).find(NslpData.class).orElseThrow());
    }
  }

  @Test
  void payloadIsAddedAtTheEnd() throws GistFormatException {
    Edited query = odd("query");
    byte[] out = RawMessage.withData(query.bytes(), data("01020304"));
    int count = query.objects.size();
    assertArrayEquals(query.insert(count, Edited.object(0, 8, "01020304")).bytes(), out);
    assertEquals(data("01020304"), GistMessage.decode(out).find(NslpData.class).orElseThrow());
  }

  @Test
  void messageThatWouldGetTooLong() {
    Edited query = Edited.of("query");
    for (int i = 0; i < 15; i++) {
      query.insert(0, Edited.object(2, 3000, "00".repeat(NslpData.MAX_BYTES)));
    }
    NslpData payload = new NslpData(new byte[NslpData.MAX_BYTES]);
    assertThrows(IllegalArgumentException.class, () -> RawMessage.withData(query.bytes(), payload));
  }

  @Test
  void ignoredObjectsAreDeletedAndForwardedOnesKept() throws GistFormatException {
    byte[] bytes = odd("query").bytes();
    byte[] expected =
        Edited.of("query")
            .header(7, 0x40 | 0x1f)
            .patch(0, 5, 0x7f)
            .patch(2, 7, 0xff)
            .insert(2, Edited.object(2, 2001, "0badcafe00112233"))
            .bytes();
    byte[] out = RawMessage.withoutIgnored(bytes);
    assertArrayEquals(expected, out);
    assertEquals(GistMessage.decode(bytes), GistMessage.decode(out));
    assertArrayEquals(expected, RawMessage.withoutIgnored(expected));
    for (byte[] plain : Vectors.all()) {
      assertArrayEquals(plain, RawMessage.withoutIgnored(plain));
    }
  }

  /** An object that we know is not ignored because of its flags. */
  @Test
  void knownObjectsStayWhateverTheirFlags() {
    byte[] bytes = Edited.of("query").patch(1, 0, 0x40).bytes();
    assertArrayEquals(bytes, RawMessage.withoutIgnored(bytes));
  }

  @Test
  void theInputIsNotTouched() {
    byte[] bytes = odd("query-payload").bytes();
    byte[] copy = Arrays.copyOf(bytes, bytes.length);
    RawMessage.withHops(bytes, 1);
    RawMessage.withData(bytes, data("00000000"));
    RawMessage.withoutIgnored(bytes);
    assertArrayEquals(copy, bytes);
  }

  private static NslpData data(String hex) {
    return new NslpData(HexFormat.of().parseHex(hex));
  }
}
