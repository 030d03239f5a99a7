// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeadWriterTest {
  private final HeadWriter out = new HeadWriter(200);

  @Test
  void writesAHead() {
    out.begin().status(200).field(Field.AGE, 0).field(Field.ETAG, "\"x\"");
    out.date(Field.DATE, 784_111_777L).end();
    assertTrue(out.fits());
    assertEquals(
        "HTTP/1.1 200 \nAge: 0\nETag: \"x\"\nDate: Sun, 06 Nov 1994 08:49:37 GMT\n\n",
        Heads.text(out));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 9, 10, 99, 100, 1234567890123L, Long.MAX_VALUE, -1, Long.MIN_VALUE})
  void numbers(long number) {
    assertEquals(Long.toString(number), Heads.text(out.begin().number(number)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\rb", "a\nb", "a\0b", "a\u007fb", "a\r\nX: y"})
  void controlCharactersSpoilAHead(String value) {
    assertFalse(out.begin().field(Heads.latin("X"), Heads.latin(value)).fits());
    assertFalse(out.begin().field(Field.VIA, value).fits());
    assertFalse(out.begin().field(Heads.latin(value), Heads.latin("x")).fits());
    assertFalse(out.begin().field(Heads.latin(""), Heads.latin("x")).fits());
    byte[] target = Heads.latin("/" + value);
    assertFalse(out.begin().value(target, 0, target.length).fits());
  }

  @Test
  void targetsWithSpacesSpoilAHead() {
    byte[] line = Heads.latin("GET/ HTTP/1.1 x");
    assertFalse(out.begin().request(line, 0, 3, 3, line.length).fits());
    assertTrue(out.begin().request(line, 0, 3, 3, 4).fits());
    assertEquals("GET / HTTP/1.1\n", Heads.text(out));
  }

  @Test
  void whatDoesNotFitIsNotWritten() {
    HeadWriter small = new HeadWriter(64);
    small.begin().status(200);
    for (int i = 0; i < 10; i++) {
      small.field(Field.VIA, "1.1 somebody").date(Field.DATE, i);
    }
    assertFalse(small.fits());
    assertTrue(small.length() <= 64);
    assertTrue(small.begin().fits());
    assertThrows(IllegalArgumentException.class, () -> new HeadWriter(63));
  }

  @Test
  void hopByHopFieldsStay() {
    FieldSection fields =
        Heads.fields(
            "Connection: close, a ,, B",
            "A: 1",
            "b: 2",
            "C: 3",
            "Keep-Alive: x",
            "Proxy-Connection: x",
            "TE: trailers",
            "Trailer: x",
            "Transfer-Encoding: chunked",
            "Upgrade: x",
            "Connection: D",
            "d: 4");
    assertEquals("C: 3\n", Heads.text(out.begin().copyEndToEnd(fields)));
  }
}
