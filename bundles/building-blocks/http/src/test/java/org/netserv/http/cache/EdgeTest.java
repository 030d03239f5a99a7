// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.http.Field;
import org.netserv.http.RequestHead;

/** The decisions put together: what clients and origin see over time. */
class EdgeTest {
  private final Deque<Edge.Reply> replies = new ArrayDeque<>();
  private final List<String> asked = new ArrayList<>();
  private final Edge edge = new Edge(CacheSettings.EDGE, this::answer);

  private Edge.Reply answer(RequestHead request) {
    String condition = request.fields().text(Field.IF_NONE_MATCH);
    asked.add(request.method() + (condition == null ? "" : " " + condition));
    return replies.poll();
  }

  private Edge.Reply get(String... fields) {
    String[] lines = new String[fields.length + 2];
    lines[0] = "GET /x HTTP/1.1";
    lines[1] = "Host: a";
    System.arraycopy(fields, 0, lines, 2, fields.length);
    return edge.serve(lines);
  }

  private void origin(int status, String content, String... fields) {
    replies.add(Edge.Reply.of(status, content, fields));
  }

  private static String said(Edge.Reply reply) {
    return reply.value(Field.CACHE_STATUS);
  }

  @Test
  void missHitStaleValidatedHit() {
    origin(200, "one", "Cache-Control: max-age=10", "ETag: \"1\"");
    assertEquals("edge; fwd=uri-miss; fwd-status=200", said(get()));
    edge.now += 4_000;
    Edge.Reply hit = get();
    assertEquals("edge; hit; ttl=6", said(hit));
    assertEquals("one", hit.content());
    assertEquals("4", hit.value(Field.AGE));
    edge.now += 6_000;
    origin(304, "", "ETag: \"1\"", "Cache-Control: max-age=20");
    Edge.Reply validated = get();
    assertEquals(200, validated.status());
    assertEquals("one", validated.content());
    assertEquals("edge; fwd=stale; fwd-status=304; ttl=20", said(validated));
    edge.now += 19_000;
    assertEquals("edge; hit; ttl=1", said(get()));
    assertEquals(List.of("GET", "GET \"1\""), asked);
  }

  @Test
  void a304ThatNamesNothingStoredLeadsToAWholeRequest() {
    origin(200, "one", "Cache-Control: max-age=1", "ETag: \"1\"");
    get();
    edge.now += 2_000;
    origin(304, "", "ETag: \"2\"");
    origin(200, "two", "Cache-Control: max-age=1", "ETag: \"2\"");
    assertEquals("two", get().content());
    assertEquals(List.of("GET", "GET \"1\"", "GET"), asked);
  }

  @Test
  void aStaleResponseIsSentAndRevalidatedBeside() {
    origin(200, "one", "Cache-Control: max-age=10, stale-while-revalidate=10", "ETag: \"1\"");
    get();
    edge.now += 15_000;
    origin(200, "two", "Cache-Control: max-age=10", "ETag: \"2\"");
    Edge.Reply stale = get();
    assertEquals("one", stale.content());
    assertEquals("edge; hit; ttl=-5", said(stale));
    assertEquals("two", get().content());
    assertEquals(2, asked.size());
  }

  @Test
  void aStaleResponseStandsInForAnError() {
    origin(200, "one", "Cache-Control: max-age=10, stale-if-error=10", "ETag: \"1\"");
    get();
    edge.now += 15_000;
    origin(503, "down");
    assertEquals("one", get().content());
    assertEquals("one", get().content()); // the origin cannot be reached at all
    edge.now += 6_000;
    origin(503, "down");
    Edge.Reply error = get();
    assertEquals(503, error.status());
    assertEquals("down", error.content());
    assertEquals(504, get().status());
  }

  @Test
  void anUnsafeRequestInvalidatesItsTargetAndWhatItNames() {
    origin(200, "one", "Cache-Control: max-age=10");
    get();
    origin(200, "other", "Cache-Control: max-age=10");
    edge.serve("GET /y HTTP/1.1", "Host: a");
    origin(204, "", "Location: http://a/y", "Content-Location: http://b/x");
    edge.serve("POST /x HTTP/1.1", "Host: a", "Content-Length: 0");
    origin(200, "two", "Cache-Control: max-age=10");
    assertEquals("two", get().content());
    origin(200, "other two", "Cache-Control: max-age=10");
    assertEquals("other two", edge.serve("GET /y HTTP/1.1", "Host: a").content());
    assertEquals(List.of("GET", "GET", "POST", "GET", "GET"), asked);
  }

  @Test
  void anErrorToAnUnsafeRequestInvalidatesNothing() {
    origin(200, "one", "Cache-Control: max-age=10");
    get();
    origin(500, "");
    edge.serve("DELETE /x HTTP/1.1", "Host: a");
    assertEquals("edge; hit; ttl=10", said(get()));
  }

  @Test
  void variantsLiveBesideEachOther() {
    origin(200, "german", "Cache-Control: max-age=10", "Vary: Accept-Language");
    get("Accept-Language: de");
    origin(200, "english", "Cache-Control: max-age=10", "Vary: Accept-Language");
    assertEquals("edge; fwd=vary-miss; fwd-status=200", said(get("Accept-Language: en")));
    assertEquals("german", get("Accept-Language: DE").content());
    assertEquals("english", get("Accept-Language: en").content());
    assertEquals(2, asked.size());
  }

  @Test
  void partsGrowTogetherAndAnswerForTheWhole() {
    String[] fields = {"Cache-Control: max-age=10", "ETag: \"1\"", "Content-Range: bytes 0-3/10"};
    origin(206, "0123", fields);
    assertEquals("0123", get("Range: bytes=0-3").content());
    assertEquals("12", get("Range: bytes=1-2").content());
    fields[2] = "Content-Range: bytes 4-9/10";
    origin(206, "456789", fields);
    Edge.Reply rest = get("Range: bytes=4-9");
    assertEquals("edge; fwd=partial; fwd-status=206", said(rest));
    Edge.Reply whole = get();
    assertEquals(200, whole.status());
    assertEquals("0123456789", whole.content());
    assertEquals("10", whole.value(Field.CONTENT_LENGTH));
    assertEquals("bytes 8-9/10", get("Range: bytes=-2").value(Field.CONTENT_RANGE));
    assertEquals(416, get("Range: bytes=10-").status());
    assertEquals(2, asked.size());
  }

  @Test
  void aPartOfANewerRepresentationReplacesTheOld() {
    String[] fields = {"Cache-Control: max-age=10", "ETag: \"1\"", "Content-Range: bytes 0-3/10"};
    origin(206, "0123", fields);
    get("Range: bytes=0-3");
    fields[1] = "ETag: \"2\"";
    fields[2] = "Content-Range: bytes 4-9/10";
    origin(206, "efghij", fields);
    get("Range: bytes=4-9");
    origin(206, "abcd", "Cache-Control: max-age=10", "ETag: \"2\"", "Content-Range: bytes 0-3/10");
    assertEquals("abcd", get("Range: bytes=0-3").content());
    assertEquals("abcdefghij", get().content());
  }

  @Test
  void clientsAreAnswered304And206FromAWholeResponse() {
    origin(200, "0123456789", "Cache-Control: max-age=10", "ETag: \"1\"");
    get();
    Edge.Reply same = get("If-None-Match: \"1\"");
    assertEquals(304, same.status());
    assertEquals("", same.content());
    assertEquals("\"1\"", same.value(Field.ETAG));
    assertEquals("345", get("Range: bytes=3-5").content());
    assertEquals("0123456789", get("Range: bytes=3-5", "If-Range: \"2\"").content());
    assertEquals("345", get("Range: bytes=3-5", "If-Range: \"1\"").content());
    Edge.Reply head = edge.serve("HEAD /x HTTP/1.1", "Host: a");
    assertEquals("10", head.value(Field.CONTENT_LENGTH));
    assertEquals("", head.content());
    assertEquals(1, asked.size());
  }

  @Test
  void theClientGetsThe200ThatIts304DidNotMean() {
    origin(200, "one", "Cache-Control: max-age=1", "ETag: \"1\"");
    get();
    edge.now += 2_000;
    origin(304, "", "ETag: \"1\"", "Cache-Control: max-age=9");
    Edge.Reply reply = get("If-None-Match: \"old\"");
    assertEquals(200, reply.status());
    assertEquals("one", reply.content());
    edge.now += 10_000;
    origin(304, "", "ETag: \"1\"", "Cache-Control: max-age=9");
    assertEquals(304, get("If-None-Match: \"old\", \"1\"").status());
    assertEquals(List.of("GET", "GET \"1\"", "GET \"1\""), asked);
  }

  @Test
  void aHeadRequestFreshensOrInvalidates() {
    origin(200, "one", "Cache-Control: max-age=1", "ETag: \"1\"");
    get();
    edge.now += 2_000;
    origin(200, "", "Cache-Control: max-age=10", "ETag: \"1\"");
    edge.serve("HEAD /x HTTP/1.1", "Host: a");
    assertEquals("edge; hit; ttl=10", said(get()));
    edge.now += 11_000;
    origin(200, "", "Cache-Control: max-age=10", "ETag: \"2\"");
    edge.serve("HEAD /x HTTP/1.1", "Host: a");
    origin(200, "two", "Cache-Control: max-age=10", "ETag: \"2\"");
    assertEquals("two", get().content());
  }

  @Test
  void onlyIfCachedAsksNobody() {
    assertEquals(504, get("Cache-Control: only-if-cached").status());
    origin(200, "one", "Cache-Control: max-age=1");
    get();
    assertEquals(200, get("Cache-Control: only-if-cached").status());
    edge.now += 1_000;
    assertEquals(504, get("Cache-Control: only-if-cached").status());
    assertEquals(1, asked.size());
    assertTrue(replies.isEmpty());
  }

  @Test
  void whatMayNotBeStoredIsAskedForEachTime() {
    for (String control : List.of("no-store", "private", "max-age=0")) {
      origin(200, control, "Cache-Control: " + control);
      origin(200, "again", "Cache-Control: " + control);
      assertEquals(control, get().content());
      Edge.Reply again = get();
      assertEquals("again", again.content());
      assertNull(again.value(Field.AGE));
    }
    assertEquals(6, asked.size());
  }
}
