// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContentReaderTest {
  private final ContentReader reader = new ContentReader(HeadLimits.USUAL);

  private String read(String text, int slice) {
    byte[] bytes = Heads.latin(text);
    StringBuilder content = new StringBuilder();
    int at = 0;
    ContentStep step = ContentStep.MORE;
    for (int stop = Math.min(slice, bytes.length); ; stop = Math.min(stop + slice, bytes.length)) {
      step = reader.read(bytes, at, stop);
      while (step == ContentStep.DATA) {
        content.append(
            new String(
                bytes,
                reader.dataStart(),
                reader.dataEnd() - reader.dataStart(),
                StandardCharsets.ISO_8859_1));
        at = reader.end();
        step = reader.read(bytes, at, stop);
      }
      at = reader.end();
      if (step != ContentStep.MORE || stop == bytes.length) {
        return step + " " + content + " " + bytes.length + "-" + at;
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GET, '', NONE",
    "POST, '', NONE",
    "POST, Content-Length: 0, NONE",
    "GET, Content-Length: 2, LENGTH",
    "POST, Transfer-Encoding: chunked, CHUNKED"
  })
  void theContentOfARequest(String method, String field, Body body) {
    String line = method + " / HTTP/1.1";
    RequestHead head =
        field.isEmpty() ? Heads.request(line, "Host: a") : Heads.request(line, "Host: a", field);
    assertEquals(body, Body.of(head));
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "3", "100"})
  void aLengthEndsWhereItSays(int slice) {
    reader.reset(Heads.response(200, "Content-Length: 5"), HttpMethod.GET);
    assertEquals("END hello 9-5", read("helloHTTP", slice));
    assertEquals(5, reader.received());
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "3", "100"})
  void chunksEndWithTheirTrailers(int slice) {
    reader.reset(Heads.request("PUT / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked"));
    assertEquals("END hello 19-15", read("5\r\nhello\r\n0\r\n\r\nGET ", slice));
    assertEquals(Body.CHUNKED, reader.body());
    assertEquals(5, reader.received());
  }

  @Test
  void withoutALengthTheConnectionEndsTheContent() {
    reader.reset(Heads.response(200), HttpMethod.GET);
    assertEquals("MORE hello 5-5", read("hello", 2));
    assertTrue(reader.finish());
  }

  @Test
  void theMethodGoesBeforeTheLength() {
    reader.reset(Heads.response(200, "Content-Length: 5"), HttpMethod.HEAD);
    assertEquals("END  5-0", read("HTTP/", 5));
  }

  @Test
  void theEndOfTheConnectionCutsALength() {
    String text = "hello";
    for (int cut = 0; cut < text.length(); cut++) {
      reader.reset(Heads.response(200, "Content-Length: 5"), HttpMethod.GET);
      assertEquals("MORE", read(text.substring(0, cut), 100).split(" ", 2)[0]);
      assertFalse(reader.finish());
      assertEquals(ContentError.CUT, reader.error());
    }
  }

  @Test
  void theEndOfTheConnectionCutsChunks() {
    String text = "5\r\nhello\r\n0\r\n\r\n";
    for (int cut = 0; cut < text.length(); cut++) {
      reader.reset(Heads.response(200, "Transfer-Encoding: chunked"), HttpMethod.GET);
      assertEquals("MORE", read(text.substring(0, cut), 100).split(" ", 2)[0]);
      assertFalse(reader.finish());
      assertEquals(ContentError.CUT, reader.error());
    }
  }

  @Test
  void aFaultStaysAFault() {
    reader.reset(Heads.response(200, "Transfer-Encoding: chunked"), HttpMethod.GET);
    assertEquals("FAULT hel 12-9", read("3\r\nhel\r\nx\r\n\r", 1));
    assertFalse(reader.finish());
    assertEquals(ContentError.CHUNK_SIZE, reader.error());
    assertEquals(ContentStep.FAULT, reader.read(new byte[3], 0, 3));
  }

  @Test
  void aLengthOf2To62TakesNoMemory() {
    reader.reset(Heads.response(200, "Content-Length: 4611686018427387903"), HttpMethod.GET);
    assertEquals("MORE hello 5-5", read("hello", 100));
  }
}
