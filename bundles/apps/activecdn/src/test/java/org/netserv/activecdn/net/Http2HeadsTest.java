// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.http.Body;
import org.netserv.http.Field;
import org.netserv.http.HeadError;
import org.netserv.http.HeadLimits;
import org.netserv.http.HeadWriter;
import org.netserv.http.RequestHead;

/** Heads between HTTP/2 and HTTP/1.1. */
class Http2HeadsTest {
  private final RequestHead head = new RequestHead(HeadLimits.USUAL);

  /**
   * Makes fields of "name value" pairs that are separated by bars, with the usual pseudo-fields.
   */
  private static Http2Headers get(String fields) {
    return of(":method GET|:scheme https|:authority a|:path /x" + fields);
  }

  private static Http2Headers of(String fields) {
    Http2Headers headers = new DefaultHttp2Headers(false);
    for (String field : fields.split("\\|", -1)) {
      int blank = field.indexOf(' ');
      String value = field.substring(blank + 1).replace("\\r", "\r").replace("\\n", "\n");
      headers.add(field.substring(0, blank), value.replace("\\0", "\0").replace("\\t", "\t"));
    }
    return headers;
  }

  private static String text(Http2Headers headers, boolean hasContent) {
    byte[] bytes = Http2Heads.request(headers, hasContent);
    return bytes == null
        ? null
        : new String(bytes, StandardCharsets.ISO_8859_1).replace("\r\n", "|");
  }

  @Test
  void aRequestIsAnAbsoluteUri() {
    assertEquals("GET https://a/x HTTP/1.1|host: a||", text(get(""), false));
    assertEquals(
        "GET https://a/x HTTP/1.1|host: a|accept: b||", text(get("|accept b|host A"), false));
  }

  @Test
  void hostStandsInForTheAuthority() {
    assertEquals(
        "GET https://b/x HTTP/1.1|host: b||",
        text(of(":method GET|:scheme https|:path /x|host b"), false));
  }

  @Test
  void piecesOfACookieAreOneField() {
    assertEquals(
        "GET https://a/x HTTP/1.1|host: a|cookie: c=1; d=2||",
        text(get("|cookie c=1|cookie d=2"), false));
  }

  @Test
  void contentWithoutALengthComesInChunks() {
    byte[] chunked = Http2Heads.request(get(""), true);
    assertEquals(HeadError.OK, head.reset(chunked, 0, chunked.length));
    assertEquals(Body.CHUNKED, Body.of(head));
    byte[] length = Http2Heads.request(get("|content-length 5"), true);
    assertEquals(HeadError.OK, head.reset(length, 0, length.length));
    assertEquals(5, head.contentLength());
  }

  @Test
  void methodsOfAHostOrOfTheServer() {
    assertEquals(
        "CONNECT a:1 HTTP/1.1|host: a:1||", text(of(":method CONNECT|:authority a:1"), false));
    assertEquals(
        "OPTIONS * HTTP/1.1|host: a||",
        text(of(":method OPTIONS|:scheme https|:authority a|:path *"), false));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "|x a\\r\\nGET /evil HTTP/1.1", // ends its line
        "|x a\\nb",
        "|x a\\0b",
        "|x  a", // blank in front
        "|x a\\t",
        "|x\\r b",
        "|X a",
        "|x: a",
        "| a",
        "|connection close",
        "|keep-alive 1",
        "|proxy-connection close",
        "|transfer-encoding chunked",
        "|upgrade h2c",
        "|te gzip",
        "|host b",
        "|host a|host a",
        "|content-length 5" // and no content
      })
  void malformedFieldsAreRefused(String fields) {
    assertNull(text(get(fields), false));
  }

  @ParameterizedTest
  @CsvSource({
    "':scheme https|:authority a|:path /x'",
    "':method GET|:authority a|:path /x'",
    "':method GET|:scheme https|:authority a'",
    "':method GET|:scheme https|:authority a|:path '",
    "':method GET|:scheme https|:authority a|:path x'",
    "':method GET|:scheme https|:authority a|:path /x HTTP/1.1'",
    "':method GET|:scheme https|:authority a|:path /x\\r\\nh: b'",
    "':method GE T|:scheme https|:authority a|:path /x'",
    "':method |:scheme https|:authority a|:path /x'",
    "':method GET|:scheme https|:authority a b|:path /x'",
    "':method GET|:scheme https|:authority a\\r\\nb: c|:path /x'",
    "':method GET|:scheme h s|:authority a|:path /x'",
    "':method CONNECT|:scheme https|:authority a|:path /x'",
    "':method CONNECT'"
  })
  void malformedPseudoFieldsAreRefused(String fields) {
    assertNull(text(of(fields), false));
  }

  /** Whatever the fields hold, a head has one empty line, and it is the last. */
  @Test
  void noFieldsMakeTwoHeads() {
    Random random = new Random(9113);
    String letters = "ax:/ \r\n\0\t\u00e9\u0100,;";
    for (int i = 0; i < 100_000; i++) {
      Http2Headers headers = new DefaultHttp2Headers(false);
      for (String name :
          new String[] {":method", ":scheme", ":authority", ":path", "n", "cookie"}) {
        StringBuilder value = new StringBuilder(random.nextInt(3) == 0 ? "" : "/a");
        while (random.nextInt(4) != 0) {
          value.append(letters.charAt(random.nextInt(letters.length())));
        }
        headers.add(random.nextInt(50) == 0 ? name + letters.charAt(i % 9) : name, value);
      }
      headers.method("GET");
      String made = text(headers, random.nextBoolean());
      if (made != null) {
        assertEquals(made.length() - 2, made.indexOf("||"), made);
        assertEquals(-1, made.indexOf('\n'), made);
        assertEquals(-1, made.indexOf('\r'), made);
      }
    }
  }

  @Test
  void aResponseHasItsFieldsInLowerCase() {
    HeadWriter out = new HeadWriter(256).begin().status(200).field(Field.CONTENT_TYPE, "a/b");
    Http2Headers headers = Http2Heads.response(out.end());
    assertEquals("200", headers.status().toString());
    assertNotNull(headers.get("content-type"));
    assertEquals(2, headers.size());
  }
}
