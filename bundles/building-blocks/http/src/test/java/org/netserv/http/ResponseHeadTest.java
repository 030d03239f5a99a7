// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResponseHeadTest {
  private static final String SOUND =
      new String(
          Heads.bytes(
              "HTTP/1.1 200 Very \"good\" \u00fc",
              "Date: Sun, 06 Nov 1994 08:49:37 GMT",
              "Content-Length: 3",
              "ETag: \"a,b\""),
          StandardCharsets.ISO_8859_1);

  private final ResponseHead head = new ResponseHead(HeadLimits.USUAL);

  private HeadError reset(String text) {
    byte[] bytes = Heads.latin(text);
    return head.reset(bytes, 0, bytes.length);
  }

  @Test
  void readsASoundHead() {
    assertEquals(HeadError.OK, reset(SOUND + "abc"));
    assertEquals(200, head.status());
    assertEquals(3, head.contentLength());
    assertEquals(SOUND.length(), head.end());
    assertEquals(Body.LENGTH, Body.of(head, HttpMethod.GET));
    assertEquals(Body.NONE, Body.of(head, HttpMethod.HEAD));
    assertEquals(Body.NONE, Body.of(head, HttpMethod.CONNECT));
    assertTrue(head.persists());
  }

  @ParameterizedTest
  @CsvSource({
    "HTTP/1.1 200 , '', UNTIL_CLOSE",
    "HTTP/1.1 204 , '', NONE",
    "HTTP/1.1 304 , Content-Length: 5, NONE",
    "HTTP/1.1 103 , '', NONE",
    "HTTP/1.1 200 , Transfer-Encoding: Chunked, CHUNKED",
    "HTTP/1.1 200, Content-Length: 0, LENGTH"
  })
  void theEndOfTheContent(String line, String field, Body body) {
    assertEquals(
        HeadError.OK, reset(line + "\r\n" + field + (field.isEmpty() ? "" : "\r\n") + "\r\n"));
    assertEquals(body, Body.of(head, HttpMethod.GET));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HTTP/1.1 200 OK\\r\\nContent-Length: 1\\r\\nContent-Length: 2 | CONTENT_LENGTH_REPEATED",
        "HTTP/1.1 200 OK\\r"
            + "\\n"
            + "Content-Length: 1\\r"
            + "\\n"
            + "Transfer-Encoding: chunked | LENGTH_AND_CODING",
        "HTTP/1.1 200 OK\\r\\nTransfer-Encoding: gzip | TRANSFER_CODING",
        "HTTP/1.1 204 OK\\r\\nTransfer-Encoding: chunked | TRANSFER_ENCODING_STATUS",
        "HTTP/1.1 103 OK\\r\\nTransfer-Encoding: chunked | TRANSFER_ENCODING_STATUS",
        "HTTP/1.0 200 OK\\r\\nTransfer-Encoding: chunked | TRANSFER_ENCODING_VERSION",
        "HTTP/1.1 200 OK\\r\\nX: a\\r\\n b | OBS_FOLD",
        "HTTP/1.1 200 OK\\r\\nX : a | SPACE_BEFORE_COLON",
        "HTTP/1.1 200 OK\\nX: a | BARE_LF",
        "HTTP/1.1 099 OK | STATUS",
        "HTTP/1.1 600 OK | STATUS",
        "HTTP/1.1 20x OK | STATUS",
        "HTTP/1.1 2000 OK | START_LINE",
        "HTTP/1.1 20 | START_LINE",
        "HTTP/1.1  200 OK | START_LINE",
        "HTTP/3.1 200 OK | VERSION",
        "ICY 200 OK | START_LINE"
      })
  void headsThatAreNone(String text, HeadError error) {
    assertEquals(error, reset(text.translateEscapes() + "\r\n\r\n"));
  }

  @Test
  void cutAtEveryLengthIsNotWhole() {
    for (int cut = 0; cut < SOUND.length(); cut++) {
      assertEquals(HeadError.MORE, reset(SOUND.substring(0, cut)), "cut at " + cut);
    }
  }

  @Test
  void mutants() {
    Random random = new Random(9112);
    byte[] sound = Heads.latin(SOUND);
    int good = 0;
    for (int round = 0; round < 100_000; round++) {
      byte[] bytes = sound.clone();
      for (int i = random.nextInt(3); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] =
            (byte) random.nextInt(random.nextBoolean() ? 48 : 256);
      }
      HeadError error = head.reset(bytes, 0, bytes.length);
      assertNotEquals(HeadError.RANGE, error);
      good += error == HeadError.OK ? 1 : 0;
    }
    assertTrue(good > 5_000, "only " + good + " were sound");
  }
}
