// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.http.Field;

/** Plays clients and an origin, and checks what each of them sees over time. */
class EdgeTest {
  private static final String FRESH = "Cache-Control: max-age=10";
  private static final String TAG = "ETag: \"1\"";

  private final Rig rig = new Rig();

  private String fetch(String text, String... fields) {
    Rig.Asker asker = rig.get();
    rig.next().answer(200, text, fields);
    return asker.result();
  }

  @Test
  void aMissIsForwardedAndAHitIsNot() {
    Rig.Asker miss = rig.get("Accept: */*");
    assertEquals("GET /x HTTP/1.1\nHost: a\nAccept: */*\nVia: 1.1 edge-1\n\n", rig.next().head());
    rig.next().answer(200, "one", FRESH);
    assertEquals("200 one", miss.result());
    assertEquals("edge; fwd=uri-miss; fwd-status=200; stored; ttl=10", said(miss));
    assertEquals("1.1 edge-1", miss.value(Field.VIA));
    assertNull(miss.value(Field.AGE));
    rig.pass(4_000);
    Rig.Asker hit = rig.get();
    assertEquals("200 one", hit.result());
    assertEquals("edge; hit; ttl=6", said(hit));
    assertEquals("4", hit.value(Field.AGE));
    assertEquals(1, rig.asked.size());
    assertEquals(1, rig.tally.get(Why.HIT));
  }

  private static String said(Rig.Asker asker) {
    return asker.said();
  }

  @Test
  void clientsAreAnswered304And206And416FromTheStore() {
    fetch("0123456789", FRESH, TAG, "Content-Type: text/plain");
    assertEquals("304 ", rig.get("If-None-Match: \"1\"").result());
    Rig.Asker part = rig.get("Range: bytes=3-5");
    assertEquals("206 345", part.result());
    assertEquals("bytes 3-5/10", part.value(Field.CONTENT_RANGE));
    assertEquals("416 ", rig.get("Range: bytes=10-").result());
    assertEquals("200 0123456789", rig.get("Range: bytes=3-5", "If-Range: \"2\"").result());
    Rig.Asker head = rig.begin("HEAD /x HTTP/1.1");
    assertEquals("200 ", head.result());
    assertEquals("10", head.value(Field.CONTENT_LENGTH));
    assertEquals(1, rig.asked.size());
  }

  @Test
  void severalRangesAreOneMultipartAnswer() {
    String text = "0123456789".repeat(100);
    fetch(text, FRESH, "Content-Type: text/plain");
    Rig.Asker asker = rig.get("Range: bytes=990-, 0-1");
    String type = asker.value(Field.CONTENT_TYPE);
    String boundary = type.substring(type.indexOf('=') + 1);
    assertEquals(
        "206 --B\r\nContent-Type: text/plain\r\nContent-Range: bytes 990-999/1000\r\n\r\n0123456789"
            + "\r\n--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/1000\r\n\r\n01"
            + "\r\n--B--\r\n",
        asker.result().replace(boundary, "B"));
  }

  // ---- one fetch for many

  @Test
  void fiftyClientsReadOneFetchWhileItComes() {
    Rig.Asker[] askers = new Rig.Asker[50];
    for (int i = 0; i < askers.length; i++) {
      askers[i] = rig.get();
    }
    Rig.Asked origin = rig.next();
    origin.head(200, FRESH, "Content-Length: 10").send("01234");
    for (Rig.Asker asker : askers) {
      assertEquals("01234", asker.body());
      assertFalse(asker.isEnded);
    }
    Rig.Asker late = rig.get();
    assertEquals("01234", late.body());
    assertEquals("edge; hit; ttl=10", said(late));
    origin.send("56789").end();
    for (Rig.Asker asker : askers) {
      assertEquals("200 0123456789", asker.result());
    }
    assertEquals("200 0123456789", late.result());
    assertEquals("edge; fwd=uri-miss; collapsed; ttl=10", said(askers[1]));
    assertEquals(1, rig.asked.size());
    assertEquals(49, rig.tally.get(Why.JOINED));
    assertEquals(1, rig.tally.get(Why.HIT_WHILE_FILLING));
  }

  @ParameterizedTest
  @ValueSource(strings = {"before the head", "behind the head", "in the content"})
  void theFetchSurvivesItsFirstClient(String when) {
    Rig.Asker first = rig.get();
    Rig.Asker second = rig.get();
    Rig.Asked origin = rig.next();
    if (when.equals("before the head")) {
      first.leave();
    }
    origin.head(200, FRESH, "Transfer-Encoding: chunked");
    if (when.equals("behind the head")) {
      first.leave();
    }
    origin.send("01234");
    if (when.equals("in the content")) {
      first.leave();
    }
    origin.send("56789").end();
    assertEquals("200 0123456789", second.result());
    assertFalse(first.isEnded);
    assertEquals("200 0123456789", rig.get().result());
    assertEquals(1, rig.asked.size());
  }

  @Test
  void theStoreIsFilledThoughAllClientsLeave() {
    Rig.Asker only = rig.get();
    Rig.Asked origin = rig.next();
    origin.head(200, FRESH, "Content-Length: 4").send("ab");
    only.leave();
    assertFalse(origin.isCancelled);
    origin.send("cd").end();
    assertEquals("200 abcd", rig.get().result());
  }

  @Test
  void rangesOfAColdObjectShareTheFetchToo() {
    Rig.Asker[] askers = new Rig.Asker[10];
    for (int i = 0; i < askers.length; i++) {
      askers[i] = rig.get("Range: bytes=" + i + "-" + (i + 1));
    }
    Rig.Asked origin = rig.next();
    assertFalse(origin.head().contains("Range"), "the whole is fetched");
    askers[0].leave();
    origin.head(200, FRESH, "Content-Length: 12").send("012345");
    assertEquals("206 12", askers[1].result(), "answered before the fetch ends");
    assertEquals("5", askers[5].body());
    assertFalse(askers[5].isEnded);
    origin.send("6789ab").end();
    assertEquals("206 56", askers[5].result());
    assertEquals("206 9a", askers[9].result());
    assertEquals(1, rig.asked.size());
  }

  @Test
  void whatMayNotBeSharedIsFetchedForEachAtOnce() {
    Rig.Asker first = rig.get();
    Rig.Asker second = rig.get();
    Rig.Asker third = rig.get();
    rig.next().answer(200, "mine", "Cache-Control: private");
    assertEquals("200 mine", first.result());
    assertEquals(3, rig.asked.size(), "nobody waits for another one in turn");
    rig.asked.get(2).answer(200, "third", "Cache-Control: private");
    rig.asked.get(1).answer(200, "second", "Cache-Control: private");
    assertEquals("200 second", second.result());
    assertEquals("200 third", third.result());
    rig.get();
    rig.get();
    assertEquals(5, rig.asked.size(), "the URI is remembered");
    rig.pass(60_000);
    rig.asked.get(3).answer(200, "", "Cache-Control: private");
    rig.asked.get(4).answer(200, "", "Cache-Control: private");
    rig.get();
    rig.get();
    assertEquals(6, rig.asked.size(), "and forgotten again");
  }

  @Test
  void clientsOfOtherVariantsAreGrouped() {
    String[] languages = {"de", "en", "en", "fr", "fr", "en"};
    Rig.Asker[] askers = new Rig.Asker[languages.length];
    for (int i = 0; i < languages.length; i++) {
      askers[i] = rig.get("Accept-Language: " + languages[i]);
    }
    rig.next().answer(200, "de", FRESH, "Vary: Accept-Language");
    assertEquals(3, rig.asked.size(), "one fetch for each variant");
    rig.asked.get(1).answer(200, "en", FRESH, "Vary: Accept-Language");
    rig.asked.get(2).answer(200, "fr", FRESH, "Vary: Accept-Language");
    for (int i = 0; i < languages.length; i++) {
      assertEquals("200 " + languages[i], askers[i].result());
    }
    assertEquals("200 fr", rig.get("Accept-Language: FR").result());
    assertEquals(3, rig.asked.size());
  }

  @Test
  void aRequestThatWantsItsOwnResponseDoesNotJoin() {
    rig.get();
    Rig.Asker own = rig.get("Cache-Control: no-cache");
    assertEquals(2, rig.asked.size());
    rig.asked.get(1).answer(200, "own", FRESH);
    assertEquals("200 own", own.result());
  }

  // ---- validation

  @Test
  void a304FreshensTheStoredResponse() {
    fetch("one", FRESH, TAG);
    rig.pass(11_000);
    Rig.Asker first = rig.get();
    Rig.Asker second = rig.get();
    assertTrue(rig.next().head().contains("\nIf-None-Match: \"1\"\n"), rig.next().head());
    rig.next().head(304, TAG, "Cache-Control: max-age=20").end();
    assertEquals("200 one", first.result());
    assertEquals("edge; fwd=stale; fwd-status=304; ttl=20", said(first));
    assertEquals("200 one", second.result());
    assertEquals("edge; hit; ttl=20", said(second));
    assertEquals(2, rig.asked.size());
  }

  @Test
  void a304ThatNamesNothingStoredLeadsToAWholeFetch() {
    fetch("one", FRESH, TAG);
    rig.pass(11_000);
    Rig.Asker asker = rig.get();
    rig.next().head(304, "ETag: \"2\"").end();
    assertFalse(rig.next().head().contains("If-None-Match"));
    rig.next().answer(200, "two", FRESH);
    assertEquals("200 two", asker.result());
    assertEquals("200 two", rig.get().result());
  }

  @Test
  void a304ThatNobodyAskedForIsNoResponse() {
    Rig.Asker asker = rig.get("If-None-Match: \"1\"");
    rig.next().head(304, TAG);
    assertEquals(502, asker.status());
    assertEquals(1, rig.tally.get(Why.ORIGIN_HEAD));
  }

  @Test
  void aStaleResponseIsSentAndValidatedBehind() {
    fetch("one", "Cache-Control: max-age=10, stale-while-revalidate=10", TAG);
    rig.pass(15_000);
    assertEquals("200 one", rig.get().result());
    assertEquals("200 one", rig.get().result());
    assertEquals(2, rig.asked.size(), "one validation is enough");
    rig.next().answer(200, "two", FRESH);
    assertEquals("200 two", rig.get().result());
  }

  @Test
  void aStaleResponseStandsInForAnError() {
    fetch("one", "Cache-Control: max-age=10, stale-if-error=10", TAG);
    rig.pass(15_000);
    Rig.Asker first = rig.get();
    Rig.Asker second = rig.get();
    rig.next().head(503, "Content-Length: 4");
    assertEquals("200 one", first.result());
    assertEquals("200 one", second.result());
    assertTrue(rig.asked.get(1).isCancelled);
    Rig.Asker down = rig.get();
    rig.next().fail(Why.ORIGIN_UNREACHABLE);
    assertEquals("200 one", down.result());
    rig.pass(6_000);
    Rig.Asker error = rig.get();
    rig.next().answer(503, "down");
    assertEquals("503 down", error.result());
    Rig.Asker gone = rig.get();
    rig.asked.get(rig.asked.size() - 1).fail(Why.ORIGIN_UNREACHABLE);
    assertEquals(504, gone.status());
  }

  @Test
  void aHeadRequestFreshensOrInvalidates() {
    fetch("one", FRESH, TAG);
    rig.pass(11_000);
    rig.begin("HEAD /x HTTP/1.1");
    rig.next().head(200, TAG, "Cache-Control: max-age=20", "Content-Length: 3").end();
    assertEquals("edge; hit; ttl=20", said(rig.get()));
    rig.pass(21_000);
    Rig.Asker head = rig.begin("HEAD /x HTTP/1.1");
    rig.next().head(200, "ETag: \"2\"", "Content-Length: 5").end();
    assertEquals("200 ", head.result());
    Rig.Asker asker = rig.get();
    rig.next().answer(200, "other", FRESH);
    assertEquals("200 other", asker.result());
  }

  // ---- an origin that misbehaves

  @Test
  void aCutResponseCutsItsReadersAndIsNotStored() {
    Rig.Asker first = rig.get();
    Rig.Asker second = rig.get("Range: bytes=0-1");
    Rig.Asker third = rig.get("Range: bytes=8-9");
    rig.next().head(200, FRESH, "Content-Length: 10").send("01234").fail(Why.ORIGIN_CUT);
    assertTrue(first.isAborted);
    assertEquals("01234", first.body());
    assertEquals("206 01", second.result());
    assertTrue(third.isAborted);
    assertEquals("", third.body());
    assertEquals(0, rig.store.bytes());
    Rig.Asker again = rig.get();
    rig.next().answer(200, "0123456789", FRESH);
    assertEquals("200 0123456789", again.result());
  }

  @ParameterizedTest
  @CsvSource({
    "ORIGIN_UNREACHABLE, 502",
    "ORIGIN_CUT, 502",
    "ORIGIN_HEAD, 502",
    "ORIGIN_TIMEOUT, 504",
    "ORIGIN_BUSY, 503"
  })
  void aFailedFetchAnswersAllWhoWait(Why why, int status) {
    Rig.Asker first = rig.get();
    Rig.Asker second = rig.get();
    rig.next().fail(why);
    assertEquals(status, first.status());
    assertEquals(status, second.status());
    assertEquals(1, rig.tally.get(why));
  }

  @Test
  void aResponseThatEndsWithItsConnectionIsNotStored() {
    Rig.Asker asker = rig.get();
    rig.next().head(200, FRESH).send("one").end();
    assertEquals("200 one", asker.result());
    assertEquals(1, rig.tally.get(Why.NOT_STORED_UNDELIMITED));
    rig.get();
    assertEquals(2, rig.asked.size());
  }

  // ---- what is stored

  @Test
  void errorsAreStoredForAsLongAsTheSettingSays() {
    Rig.Asker missing = rig.get();
    rig.next().answer(404, "none");
    assertEquals("404 none", missing.result());
    rig.pass(8_000);
    assertEquals("404 none", rig.get().result());
    rig.pass(2_000);
    rig.get();
    assertEquals(2, rig.asked.size());
  }

  @Test
  void aCookieIsForItsClientUnlessTheOriginSaysOtherwise() {
    fetch("mine", FRESH, "Set-Cookie: a=b");
    fetch("ours", "Cache-Control: public, max-age=10", "Set-Cookie: a=b");
    assertEquals("200 ours", rig.get().result());
    assertEquals(1, rig.tally.get(Why.NOT_STORED_COOKIE));
  }

  @Test
  void fieldsThatNoKeyHasDoNotReachTheOrigin() {
    rig.get("X-Forwarded-Host: evil", "X-Original-URL: /evil", "Forwarded: host=evil", "X: y");
    assertEquals("GET /x HTTP/1.1\nHost: a\nX: y\nVia: 1.1 edge-1\n\n", rig.next().head());
    rig.begin(
        "POST /x HTTP/1.1", "X-Forwarded-For: 1.2.3.4", "X-Http-Method: PUT", "Content-Length: 0");
    assertEquals(
        """
        POST /x HTTP/1.1
        Host: a
        X-Http-Method: PUT
        Content-Length: 0
        Via: 1.1 edge-1
        X-Forwarded-For: 192.0.2.1

        """,
        rig.asked.get(1).head());
  }

  @Test
  void aContentBeyondTheLimitStreamsThrough() {
    Rig.Asker asker = rig.get();
    Rig.Asked origin = rig.next();
    origin.head(200, FRESH, "Transfer-Encoding: chunked");
    String piece = "0123456789".repeat(1_000);
    for (int i = 0; i < 20; i++) {
      origin.send(piece);
    }
    Rig.Asker late = rig.get();
    assertEquals(2, rig.asked.size(), "nobody joins a window");
    late.leave();
    origin.end();
    assertEquals("200 " + piece.repeat(20), asker.result());
    assertEquals(1, rig.tally.get(Why.NOT_STORED_TOO_LARGE));
    assertEquals(0, rig.store.bytes());
  }

  @Test
  void aLengthBeyondTheLimitIsPassedOnAndItsRangesAreTheOrigins() {
    Rig.Asker whole = rig.get();
    Rig.Asker part = rig.get("Range: bytes=0-1");
    String length = "Content-Length: " + (Rig.ENTRY + 1);
    rig.next().head(200, FRESH, length);
    assertTrue(rig.asked.get(1).head().contains("\nRange: bytes=0-1\n"));
    rig.asked
        .get(1)
        .head(206, FRESH, "Content-Range: bytes 0-1/" + (Rig.ENTRY + 1), "Content-Length: 2");
    rig.asked.get(1).send("01").end();
    assertEquals("206 01", part.result());
    rig.asked.get(0).send("0".repeat(Rig.ENTRY + 1)).end();
    assertEquals(Rig.ENTRY + 5, whole.result().length());
    assertEquals(0, rig.store.bytes());
  }

  @Test
  void theOriginWaitsForASlowReaderOfAWindow() {
    Rig.Asker asker = rig.get();
    Rig.Asked origin = rig.next();
    origin.head(200, "Cache-Control: no-store", "Content-Length: 1000000");
    asker.block();
    int sent = 0;
    while (!origin.isHeld) {
      origin.send("0".repeat(10_000));
      sent += 10_000;
    }
    assertTrue(sent >= Content.WINDOW && sent < Content.WINDOW + 20_000, "held after " + sent);
    asker.unblock();
    assertFalse(origin.isHeld);
    assertEquals(sent, asker.body().length());
    asker.leave();
    assertTrue(origin.isCancelled, "nobody is left to read");
  }

  // ---- purges and invalidation

  private Rig.Asker order(String... fields) {
    String[] all = java.util.Arrays.copyOf(fields, fields.length + 2);
    all[fields.length] = "Authorization: Bearer " + Rig.SECRET;
    all[fields.length + 1] = "Content-Length: 0";
    return rig.begin("POST /.cdn/purge HTTP/1.1", all);
  }

  @ParameterizedTest
  @CsvSource({
    "Purge-Url: http://A:80/x, 1",
    "Purge-Url: http://a/y, 0",
    "Purge-Prefix: http://a/, 1",
    "Purge-Prefix: http://a/x/, 0",
    "Surrogate-Key: other news, 1",
    "Surrogate-Key: new, 0"
  })
  void purges(String field, int count) {
    fetch("one", FRESH, "Surrogate-Key: news sport");
    assertEquals("200 {\"purged\":" + count + "}\n", order(field).result());
    rig.get();
    assertEquals(1 + count, rig.asked.size());
    assertEquals(count == 1, rig.store.bytes() == 0);
  }

  @Test
  void anOrderNeedsTheSecret() {
    assertEquals(403, rig.begin("POST /.cdn/purge HTTP/1.1", "Purge-Url: http://a/x").status());
    assertEquals(
        403,
        rig.begin("POST /.cdn/purge HTTP/1.1", "Authorization: Bearer 0123456789abcdeF").status());
    assertEquals(400, order("Purge-Url: /x").status());
    assertEquals(400, order("X: y").status());
    assertEquals(0, rig.asked.size());
    Rig.Asker counters =
        rig.begin("GET /.cdn/counters HTTP/1.1", "Authorization: bearer " + Rig.SECRET);
    assertTrue(counters.result().contains("\"REFUSED_ADMIN\":2"), counters.result());
  }

  @ParameterizedTest
  @ValueSource(strings = {"Purge-Url: http://a/x", "Purge-Prefix: http://a/", "Surrogate-Key: k"})
  void aFetchThatBeganBeforeAPurgeIsNotStored(String field) {
    Rig.Asker before = rig.get();
    assertEquals("200 {\"purged\":0}\n", order(field).result());
    Rig.Asker behind = rig.get();
    assertEquals(2, rig.asked.size(), "who comes later does not join");
    rig.asked.get(0).answer(200, "old", FRESH, "Surrogate-Key: k");
    rig.asked.get(1).answer(200, "new", FRESH, "Surrogate-Key: k");
    assertEquals("200 old", before.result());
    assertEquals("200 new", behind.result());
    assertEquals("200 new", rig.get().result());
  }

  @Test
  void aPurgeDoesNotTouchWhoReads() {
    Rig.Asker asker = rig.get();
    rig.next().head(200, FRESH, "Content-Length: 4").send("ab");
    order("Purge-Url: http://a/x");
    rig.asked.get(0).send("cd").end();
    assertEquals("200 abcd", asker.result());
    assertEquals(0, rig.store.count());
    assertEquals(0, rig.store.bytes());
  }

  @Test
  void anUnsafeRequestInvalidatesWhatItNames() {
    fetch("one", FRESH);
    Rig.Asker other = rig.begin("GET /y HTTP/1.1");
    rig.next().answer(200, "other", FRESH);
    assertEquals("200 other", other.result());
    Rig.Asker post = rig.begin("POST /x HTTP/1.1", "Content-Length: 3");
    post.exchange.content(Rig.latin("abc"), 0, 3);
    post.exchange.contentEnd();
    assertEquals("abc", rig.next().content.toString(java.nio.charset.StandardCharsets.US_ASCII));
    rig.next().head(204, "Location: http://a/y").end();
    assertEquals("204 ", post.result());
    assertEquals("edge; fwd=method; fwd-status=204", said(post));
    rig.get();
    rig.begin("GET /y HTTP/1.1");
    assertEquals(5, rig.asked.size());
  }

  @Test
  void aFetchThatAnUnsafeRequestOvertakesIsNotStored() {
    rig.get();
    rig.begin("DELETE /x HTTP/1.1");
    rig.asked.get(1).head(204).end();
    rig.asked.get(0).answer(200, "old", FRESH);
    assertEquals(0, rig.store.count());
  }

  @Test
  void aRequestsContentWaitsForTheOrigin() {
    Rig.Asker post = rig.begin("POST /x HTTP/1.1", "Transfer-Encoding: chunked");
    Rig.Asked origin = rig.next();
    assertTrue(origin.head().contains("\nTransfer-Encoding: chunked\n"));
    origin.isWritable = false;
    post.exchange.content(Rig.latin("abc"), 0, 3);
    assertTrue(post.isHeld);
    origin.writable();
    assertFalse(post.isHeld);
    post.leave();
    assertTrue(origin.isCancelled, "half a request ends");
  }

  // ---- requests that are not served

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TRACE /x HTTP/1.1 | X: y | 405",
        "GET http://c/x HTTP/1.1 | X: y | 421",
        "GET https://a/x HTTP/1.1 | X: y | 421",
        "GET /x HTTP/1.1 | Via: 1.0 x, 1.1 edge-1 (c) | 508",
        "GET /x HTTP/1.1 | Cache-Control: only-if-cached | 504",
        "OPTIONS /x HTTP/1.1 | Max-Forwards: 0 | 200"
      })
  void requestsThatTheEdgeAnswersItself(String line, String field, int status) {
    assertEquals(status, rig.begin(line, field).status());
    assertEquals(0, rig.asked.size());
  }

  @Test
  void interimResponsesGoToTheClientThatAsked() {
    Rig.Asker asker = rig.get();
    rig.next().head(103, "Link: </style.css>");
    assertEquals("HTTP/1.1 103 \r\nLink: </style.css>\r\n\r\n", asker.interims.get(0));
    rig.next().answer(200, "one");
    assertEquals("200 one", asker.result());
    Rig.Asker old = rig.begin("GET /z HTTP/1.0");
    rig.next().head(103);
    assertEquals(0, old.interims.size());
  }

  @Test
  void conditionsForTheOriginGoToTheOrigin() {
    fetch("one", FRESH, TAG);
    Rig.Asker asker = rig.get("If-Match: \"2\"");
    assertTrue(rig.next().head().contains("If-Match"));
    rig.next().answer(412, "");
    assertEquals("412 ", asker.result());
    assertEquals("edge; fwd=bypass; fwd-status=412", said(asker));
  }
}
