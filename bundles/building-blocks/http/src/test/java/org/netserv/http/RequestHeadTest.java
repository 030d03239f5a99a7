// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestHeadTest {
  private static final String SOUND =
      text(
          Heads.bytes(
              "POST /a/b?c=d HTTP/1.1",
              "Host: example.org:8080",
              "Content-Length: 12",
              "X-Empty:",
              "Connection: keep-alive, X-Hop",
              "X-Hop:  two words \t"));

  private final RequestHead head = new RequestHead(HeadLimits.USUAL);

  private HeadError reset(String text) {
    byte[] bytes = Heads.latin(text);
    return head.reset(bytes, 0, bytes.length);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static String text(RequestHead head, int start, int end) {
    return new String(head.bytes(), start, end - start, StandardCharsets.ISO_8859_1);
  }

  @Test
  void readsASoundHead() {
    assertEquals(HeadError.OK, reset(SOUND + "content"));
    assertEquals(HttpMethod.POST, head.method());
    assertEquals("/a/b?c=d", text(head, head.pathStart(), head.pathEnd()));
    assertEquals("example.org:8080", text(head, head.hostStart(), head.hostEnd()));
    assertEquals(12, head.contentLength());
    assertFalse(head.isChunked());
    assertTrue(head.persists());
    assertEquals(SOUND.length(), head.end());
    assertEquals(5, head.fields().count());
    assertEquals("", head.fields().text(2));
    assertEquals("two words", head.fields().text(4));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET http://b.example/x HTTP/1.1 | a | b.example | /x",
        "GET HTTPS://b.example?x HTTP/1.1 | a | b.example | ?x",
        "OPTIONS * HTTP/1.1 | a | a | *",
        "CONNECT b:443 HTTP/1.1 | a | b:443 | ''",
        "GET /%7e[]^{} HTTP/1.1 | [::1]:80 | [::1]:80 | /%7e[]"
      })
  void formsOfTargets(String line, String host, String expectedHost, String path) {
    assertEquals(HeadError.OK, reset(line + "\r\nHost: " + host + "\r\n\r\n"));
    assertEquals(expectedHost, text(head, head.hostStart(), head.hostEnd()));
    assertTrue(text(head, head.pathStart(), head.pathEnd()).startsWith(path));
  }

  @Test
  void theAuthorityOfAnAbsoluteTargetReplacesHost() {
    assertEquals(HeadError.OK, reset("GET http://real/ HTTP/1.1\r\nHost: other\r\n\r\n"));
    assertEquals("real", text(head, head.hostStart(), head.hostEnd()));
    assertTrue(head.isAbsolute());
    assertFalse(head.isSecure());
    assertEquals(HeadError.OK, reset("GET https://real/ HTTP/1.1\r\nHost: other\r\n\r\n"));
    assertTrue(head.isAbsolute() && head.isSecure());
    assertEquals(HeadError.OK, reset("GET /https://real/ HTTP/1.1\r\nHost: other\r\n\r\n"));
    assertFalse(head.isAbsolute());
  }

  /** Each row is a form that two recipients may read differently. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Content-Length: 5\\r\\nContent-Length: 5 | CONTENT_LENGTH_REPEATED",
        "Content-Length: 5\\r\\nContent-Length: 6 | CONTENT_LENGTH_REPEATED",
        "Content-Length: 5, 5 | CONTENT_LENGTH_REPEATED",
        "Content-Length: +5 | CONTENT_LENGTH",
        "Content-Length: -5 | CONTENT_LENGTH",
        "Content-Length: 0x5 | CONTENT_LENGTH",
        "Content-Length: 5 5 | CONTENT_LENGTH",
        "Content-Length: | CONTENT_LENGTH",
        "Content-Length: 99999999999999999999 | CONTENT_LENGTH",
        "Content-Length: 5\\r\\nTransfer-Encoding: chunked | LENGTH_AND_CODING",
        "Transfer-Encoding: chunked\\r\\nContent-Length: 5 | LENGTH_AND_CODING",
        "Transfer-Encoding: chunked\\r\\nTransfer-Encoding: chunked | TRANSFER_ENCODING_REPEATED",
        "Transfer-Encoding: chunked\\r\\nTransfer-Encoding: identity | TRANSFER_ENCODING_REPEATED",
        "Transfer-Encoding: gzip, chunked | TRANSFER_ENCODING_REPEATED",
        "Transfer-Encoding: chunked, chunked | TRANSFER_ENCODING_REPEATED",
        "Transfer-Encoding: xchunked | TRANSFER_CODING",
        "Transfer-Encoding: identity | TRANSFER_CODING",
        "Transfer-Encoding: \"chunked\" | TRANSFER_CODING",
        "Transfer-Encoding: chunked;q=1 | TRANSFER_CODING",
        "Transfer-Encoding: | TRANSFER_CODING",
        "Transfer-Encoding:\\013chunked | CONTROL",
        "Transfer-Encoding: chunked\\0 | CONTROL",
        "Transfer-Encoding : chunked | SPACE_BEFORE_COLON",
        "Transfer-Encoding\\t: chunked | SPACE_BEFORE_COLON",
        "Transfer-Encoding\\r\\n : chunked | NO_COLON",
        "Transfer_Encoding: chunked | LOOKALIKE",
        "content_length: 5 | LOOKALIKE",
        "X: y\\nTransfer-Encoding: chunked | BARE_LF",
        "X: y\\rTransfer-Encoding: chunked | BARE_CR",
        "X: y\\r\\n Transfer-Encoding: chunked | OBS_FOLD",
        "X: y\\r\\n\\tz | OBS_FOLD",
        "Connection: Content-Length | CONNECTION_NAMES_FRAMING",
        "Connection: close, transfer-encoding | CONNECTION_NAMES_FRAMING",
        "X\\344: y | FIELD_NAME",
        "X(y): z | FIELD_NAME",
        ": y | FIELD_NAME",
        "X | NO_COLON",
        "Host: b | HOST_REPEATED"
      })
  void smugglingFormsAreRefusedByName(String fields, HeadError error) {
    String lines = fields.translateEscapes();
    assertEquals(error, reset("POST / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n\r\n"));
    assertTrue(error.status() >= 400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET / HTTP/1.1\\r\\n Host: a | OBS_FOLD",
        "GET / HTTP/1.1\\r\\n\\r\\n | HOST_MISSING",
        "GET / HTTP/1.1\\r\\nHost: | HOST",
        "GET / HTTP/1.1\\r\\nHost: u@a | HOST",
        "GET / HTTP/1.1\\r\\nHost: a/b | HOST",
        "GET / HTTP/1.1\\r\\nHost: a:99999 | HOST",
        "GET / HTTP/1.1\\r\\nHost: a, b | HOST",
        "GET http://u@a/ HTTP/1.1\\r\\nHost: a | HOST",
        "GET ftp://a/ HTTP/1.1\\r\\nHost: a | TARGET",
        "GET * HTTP/1.1\\r\\nHost: a | TARGET",
        "GET a HTTP/1.1\\r\\nHost: a | TARGET",
        "CONNECT /x HTTP/1.1\\r\\nHost: a | TARGET",
        "GET /#x HTTP/1.1\\r\\nHost: a | TARGET_OCTET",
        "GET /<x> HTTP/1.1\\r\\nHost: a | TARGET_OCTET",
        "GET  / HTTP/1.1\\r\\nHost: a | START_LINE",
        "GET /  HTTP/1.1\\r\\nHost: a | START_LINE",
        "GET / HTTP/1.1 \\r\\nHost: a | START_LINE",
        "GET /a b HTTP/1.1\\r\\nHost: a | START_LINE",
        "GET / http/1.1\\r\\nHost: a | START_LINE",
        "GET /\\r\\nHost: a | START_LINE",
        "GET / HTTP/2.0\\r\\nHost: a | VERSION",
        "G(T / HTTP/1.1\\r\\nHost: a | METHOD",
        "GET / HTTP/1.1\\nHost: a | BARE_LF",
        "GET / HTTP/1.0\\r\\nTransfer-Encoding: chunked | TRANSFER_ENCODING_VERSION"
      })
  void headsThatAreNone(String text, HeadError error) {
    assertEquals(error, reset(text.translateEscapes() + "\r\n\r\n"));
  }

  @Test
  void oneEmptyLineInFrontIsSkipped() {
    assertEquals(HeadError.OK, reset("\r\n" + SOUND));
    assertEquals(HeadError.START_LINE, reset("\r\n\r\n" + SOUND));
    assertEquals(HeadError.BARE_LF, reset("\n" + SOUND));
  }

  @Test
  void anOldRequestNeedsNoHostAndDoesNotPersist() {
    assertEquals(HeadError.OK, reset("GET / HTTP/1.0\r\n\r\n"));
    assertFalse(head.persists());
    assertEquals(HeadError.OK, reset("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"));
    assertTrue(head.persists());
    assertEquals(HeadError.OK, reset("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, close\r\n\r\n"));
    assertFalse(head.persists());
  }

  @Test
  void cutAtEveryLengthIsNotWhole() {
    for (int cut = 0; cut < SOUND.length(); cut++) {
      assertEquals(HeadError.MORE, reset(SOUND.substring(0, cut)), "cut at " + cut);
    }
  }

  @Test
  void theEndOfAHeadIsFoundPieceByPiece() {
    byte[] bytes = Heads.latin(SOUND + "rest");
    int from = 0;
    int found = -1;
    for (int stop = 1; stop <= bytes.length && found < 0; stop++) {
      found = HeadEnd.find(bytes, from, stop);
      from = Math.max(0, stop - 3);
    }
    assertEquals(SOUND.length(), found);
    assertEquals(8, HeadEnd.find(Heads.latin("GET /\r\n\n"), 0, 8));
    assertEquals(-1, HeadEnd.find(Heads.latin("GET /\r\n"), 0, 7));
  }

  @Test
  void limitsHaveNames() {
    RequestHead small = new RequestHead(new HeadLimits(200, 20, 3));
    String start = "GET / HTTP/1.1\r\nHost: a\r\n";
    byte[] large = Heads.latin(start + "X: " + "x".repeat(300) + "\r\n\r\n");
    assertEquals(HeadError.HEAD_TOO_LARGE, small.reset(large, 0, large.length));
    byte[] many = Heads.latin(start + "A: 1\r\nB: 2\r\nC: 3\r\n\r\n");
    assertEquals(HeadError.TOO_MANY_FIELDS, small.reset(many, 0, many.length));
    byte[] target = Heads.latin("GET /" + "x".repeat(20) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    assertEquals(HeadError.TARGET_TOO_LONG, small.reset(target, 0, target.length));
    byte[] endless = Heads.latin("GET /" + "x".repeat(100));
    assertEquals(HeadError.TARGET_TOO_LONG, small.reset(endless, 0, endless.length));
    assertEquals(HeadError.RANGE, small.reset(endless, 0, endless.length + 1));
    assertEquals(HeadError.RANGE, small.reset(endless, 5, 4));
    assertEquals(HeadError.RANGE, small.reset(endless, -1, 4));
  }

  /** No mutant throws, and a sound one has positions inside of its range. */
  @Test
  void mutants() {
    Random random = new Random(9112);
    byte[] sound = Heads.latin(SOUND);
    byte[] marks = Heads.latin("\r\n :,;\t\0\"GT/1.");
    int good = 0;
    for (int round = 0; round < 200_000; round++) {
      byte[] bytes = sound.clone();
      for (int i = random.nextInt(4); i >= 0; i--) {
        byte mark = marks[random.nextInt(marks.length)];
        bytes[random.nextInt(bytes.length)] =
            random.nextBoolean() ? mark : (byte) random.nextInt(256);
      }
      HeadError error = head.reset(bytes, 0, bytes.length);
      assertNotEquals(HeadError.RANGE, error);
      if (error != HeadError.OK) {
        continue;
      }
      good++;
      FieldSection fields = head.fields();
      for (int line = 0; line < fields.count(); line++) {
        assertTrue(fields.nameStart(line) < fields.nameEnd(line));
        assertTrue(fields.nameEnd(line) < fields.valueStart(line) + 1);
        assertTrue(fields.valueStart(line) <= fields.valueEnd(line));
        assertTrue(fields.valueEnd(line) + 2 <= head.end());
      }
      assertTrue(head.contentLength() >= -1);
      assertFalse(head.isChunked() && fields.has(Field.CONTENT_LENGTH));
    }
    assertTrue(good > 20_000, "only " + good + " were sound");
  }

  @Test
  void nonsense() {
    Random random = new Random(9110);
    byte[] bytes = new byte[96];
    byte[] start = Heads.latin("GET / HTTP/1.1\r\nHost: a\r\n");
    for (int round = 0; round < 200_000; round++) {
      random.nextBytes(bytes);
      if (random.nextBoolean()) {
        System.arraycopy(start, 0, bytes, 0, start.length);
      }
      assertNotEquals(HeadError.RANGE, head.reset(bytes, 0, random.nextInt(bytes.length)));
    }
  }

  @Test
  void aHeadThatIsWrittenAgainReadsTheSame() {
    assertEquals(HeadError.OK, reset(SOUND));
    HeadWriter out = new HeadWriter(1000);
    out.begin()
        .request(
            head.bytes(), head.methodStart(), head.methodEnd(), head.pathStart(), head.pathEnd());
    for (int line = 0; line < head.fields().count(); line++) {
      out.copy(head.fields(), line);
    }
    out.end();
    assertTrue(out.fits());
    RequestHead again = new RequestHead(HeadLimits.USUAL);
    assertEquals(HeadError.OK, again.reset(out.bytes(), 0, out.length()));
    assertEquals(head.fields().count(), again.fields().count());
    for (int line = 0; line < head.fields().count(); line++) {
      assertEquals(head.fields().text(line), again.fields().text(line));
    }
  }

  @Test
  void knownMethodsAndFieldsAreFoundByTheirOctets() {
    for (HttpMethod method : HttpMethod.values()) {
      byte[] name = Heads.latin(method.name());
      assertEquals(method, HttpMethod.of(name, 0, name.length));
    }
    assertEquals(HttpMethod.OTHER, HttpMethod.of(Heads.latin("get"), 0, 3));
    for (Field field : Field.values()) {
      byte[] name = Heads.latin("_" + field.text().toUpperCase(Locale.ROOT) + "_");
      assertEquals(field, Field.of(name, 1, name.length - 1));
      assertNull(Field.of(name, 0, name.length));
    }
  }
}
