// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.activecdn.disk.Jobs;
import org.netserv.http.Field;
import org.netserv.http.cache.CacheSettings;

/** Plays clients and an origin of an object that is kept in slices of ten bytes. */
class SlicedEdgeTest {
  private static final String TEXT = "0123456789abcdefghijABCDEFGHIJxyz"; // 33 bytes
  private static final String FRESH = "Cache-Control: max-age=10";
  private static final String TAG = "ETag: \"1\"";

  @TempDir private Path directory;
  private final Rig rig = sliced();

  private static Rig sliced() {
    return Rig.sliced(CacheSettings.EDGE, 1 << 20, 10);
  }

  private static String range(Rig.Asked asked) {
    for (String line : asked.head().split("\n", -1)) {
      if (line.startsWith("Range: bytes=")) {
        return line.substring("Range: bytes=".length());
      }
    }
    return "whole";
  }

  /** Answers with the part of a text that is asked for. */
  private static void answer(Rig.Asked asked, String text, String... fields) {
    Rig.Asked open = begin(asked, text, fields);
    open.send(text.substring(from(asked), to(asked, text)));
    open.end();
  }

  private static Rig.Asked begin(Rig.Asked asked, String text, String... fields) {
    String[] all = List.of(fields).toArray(new String[fields.length + 2]);
    int from = from(asked);
    int to = to(asked, text);
    all[fields.length] = "Content-Range: bytes " + from + "-" + (to - 1) + "/" + text.length();
    all[fields.length + 1] = "Content-Length: " + (to - from);
    return asked.head(206, all);
  }

  private static int from(Rig.Asked asked) {
    return Integer.parseInt(range(asked).split("-", 2)[0]);
  }

  private static int to(Rig.Asked asked, String text) {
    return Math.min(text.length(), Integer.parseInt(range(asked).split("-", 2)[1]) + 1);
  }

  private List<Rig.Asked> open() {
    return rig.asked.stream().filter(each -> !each.isAnswered && !each.isCancelled).toList();
  }

  /** Lets the origin answer all that it is asked for. */
  private void answerAll() {
    while (!open().isEmpty()) {
      answer(open().get(0), TEXT, FRESH, TAG);
    }
  }

  private List<String> ranges() {
    return rig.asked.stream().map(SlicedEdgeTest::range).toList();
  }

  @Test
  void aRangeFetchesTheSlicesThatItTouchesAlone() {
    Rig.Asker asker = rig.get("Range: bytes=12-13");
    assertEquals("10-19", range(rig.next()));
    answerAll();
    assertEquals("206 cd", asker.result());
    assertEquals("bytes 12-13/33", asker.value(Field.CONTENT_RANGE));
    assertEquals("edge; fwd=uri-miss; fwd-status=206; stored; ttl=10", asker.said());
    assertEquals("206 def", rig.get("Range: bytes=13-15").result());
    assertEquals(List.of("10-19"), ranges());
    assertEquals(1, rig.tally.get(Why.HIT));
    Rig.Asker more = rig.get("Range: bytes=18-21");
    assertEquals("20-29", range(rig.next()));
    assertTrue(rig.next().head().contains("If-Range: \"1\"\n"), rig.next().head());
    answerAll();
    assertEquals("206 ijAB", more.result());
    assertEquals("edge; fwd=partial; ttl=10", more.said());
    assertEquals(List.of("10-19", "20-29"), ranges());
    assertEquals(1, rig.tally.get(Why.PARTIAL));
    assertEquals(2, rig.tally.get(Why.SLICE_STORED));
    assertEquals(1, rig.store.count());
  }

  @Test
  void theWholeIsSentFromSlicesOneAheadOfTheReader() {
    Rig.Asker asker = rig.get();
    assertEquals("0-9", range(rig.next()));
    begin(rig.next(), TEXT, FRESH, TAG).send("01234");
    assertEquals("01234", asker.body());
    assertEquals(33, asker.length());
    assertEquals("10-19", range(rig.next()), "ahead");
    answerAll();
    rig.asked.get(0).send("56789").end();
    answerAll();
    assertEquals("200 " + TEXT, asker.result());
    assertEquals(List.of("0-9", "10-19", "20-29", "30-32"), ranges());
    assertEquals("200 " + TEXT, rig.get().result());
    assertEquals("206 xyz", rig.get("Range: bytes=-3").result());
    assertEquals(4, rig.asked.size());
  }

  @Test
  void fiftyClientsShareEachSliceWhileItComes() {
    Rig.Asker[] askers = new Rig.Asker[50];
    for (int i = 0; i < askers.length; i++) {
      askers[i] = rig.get("Range: bytes=" + (10 + i % 5) + "-22");
    }
    begin(rig.next(), TEXT, FRESH, TAG).send("abcdef");
    for (int i = 0; i < askers.length; i++) {
      assertEquals("abcdef".substring(i % 5), askers[i].body());
    }
    assertEquals("20-29", range(rig.next()));
    askers[0].leave();
    rig.asked.get(0).send("ghij").end();
    answerAll();
    for (int i = 1; i < askers.length; i++) {
      assertEquals("206 " + TEXT.substring(10 + i % 5, 23), askers[i].result());
    }
    assertEquals(List.of("10-19", "20-29"), ranges());
  }

  @Test
  void aSliceIsStoredThoughAllClientsLeave() {
    Rig.Asker only = rig.get("Range: bytes=0-0");
    Rig.Asked first = begin(rig.next(), TEXT, FRESH, TAG);
    only.leave();
    assertFalse(first.isCancelled);
    first.send("0123456789").end();
    assertEquals("206 7", rig.get("Range: bytes=7-7").result());
    assertEquals(1, rig.asked.size());
  }

  @Test
  void aSmallObjectIsStoredWhole() {
    Rig.Asker asker = rig.get();
    answer(rig.next(), "tiny", FRESH);
    assertEquals("200 tiny", asker.result());
    assertEquals("200 tiny", rig.get().result());
    assertEquals("206 in", rig.get("Range: bytes=1-2").result());
    assertEquals(1, rig.asked.size());
    assertEquals(1, rig.tally.get(Why.STORED));
  }

  @Test
  void anOriginWithoutRangesIsAskedOnceForTheWhole() {
    Rig.Asker asker = rig.get("Range: bytes=12-13");
    rig.next().answer(200, TEXT, FRESH, TAG);
    assertEquals("206 cd", asker.result());
    assertEquals("200 " + TEXT, rig.get().result());
    assertEquals(1, rig.asked.size());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "weak validator        | ETag: W/\"1\" | bytes 10-19/33 | NOT_SLICED",
        "no validator          | X: y          | bytes 10-19/33 | NOT_SLICED",
        "another range         | ETag: \"1\"   | bytes 0-9/33   | NOT_SLICED",
        "less than the slice   | ETag: \"1\"   | bytes 10-18/33 | NOT_SLICED",
        "no length             | ETag: \"1\"   | bytes 10-19/*  | NOT_SLICED",
        "no range              | ETag: \"1\"   | none           | NOT_STORED"
      })
  void whatCannotBeSlicedComesFromTheOriginItself(String name, String tag, String range, Why why) {
    Rig.Asker asker = rig.get("Range: bytes=12-13");
    Rig.Asked first = rig.next();
    first.head(206, FRESH, tag, "Content-Range: " + range, "Transfer-Encoding: chunked");
    assertTrue(first.isCancelled, name);
    assertEquals("12-13", range(rig.next()), "the client's own");
    answer(rig.next(), TEXT, FRESH, tag);
    assertEquals("206 cd", asker.result());
    assertEquals(1, rig.tally.get(why));
    rig.get("Range: bytes=1-2");
    assertEquals("1-2", range(rig.next()), "the URI is marked");
  }

  @Test
  void a416IsForItsRangeAlone() {
    Rig.Asker asker = rig.get("Range: bytes=40-49");
    rig.next().answer(416, "", FRESH, TAG, "Content-Range: bytes */33");
    rig.next().answer(416, "", FRESH, TAG, "Content-Range: bytes */33");
    assertEquals("416 ", asker.result());
    Rig.Asker whole = rig.get();
    answerAll();
    assertEquals("200 " + TEXT, whole.result());
  }

  @Test
  void aRangeBehindTheEndIsAnswered416() {
    Rig.Asker asker = rig.get("Range: bytes=77-");
    rig.next().answer(416, "", "Content-Range: bytes */33");
    assertEquals("77-", range(rig.next()));
    rig.next().answer(416, "", "Content-Range: bytes */33");
    assertEquals("416 ", asker.result());
    rig.get("Range: bytes=2-2");
    answerAll();
    Rig.Asker known = rig.get("Range: bytes=77-");
    assertEquals("416 ", known.result());
    assertEquals("bytes */33", known.value(Field.CONTENT_RANGE));
    assertEquals(3, rig.asked.size());
  }

  @Test
  void headAndConditionsAreAnsweredFromTheObject() {
    rig.get("Range: bytes=0-1");
    answerAll();
    Rig.Asker head = rig.begin("HEAD /x HTTP/1.1");
    assertEquals("200 ", head.result());
    assertEquals("33", head.value(Field.CONTENT_LENGTH));
    assertEquals("304 ", rig.get("If-None-Match: \"1\"").result());
    Rig.Asker other = rig.get("Range: bytes=0-1", "If-Range: \"2\"");
    answerAll();
    assertEquals("200 " + TEXT, other.result());
    assertEquals("206 01", rig.get("Range: bytes=0-1", "If-Range: \"1\"").result());
  }

  @Test
  void severalRangesAreOneMultipartAnswerFromTheirSlices() {
    Rig rig = Rig.sliced(CacheSettings.EDGE, 1 << 20, 200);
    String text = TEXT.repeat(40);
    Rig.Asker asker = rig.get("Range: bytes=1000-1009, 0-9");
    while (rig.asked.stream().anyMatch(each -> !each.isAnswered)) {
      answer(rig.next(), text, FRESH, TAG, "Content-Type: text/plain");
    }
    String body = asker.result();
    assertTrue(body.contains("bytes 1000-1009/1320\r\n\r\n" + text.substring(1000, 1010)), body);
    assertTrue(body.contains("bytes 0-9/1320\r\n\r\n0123456789"), body);
    assertEquals(2, rig.asked.size());
  }

  // ---- contents that change

  @ParameterizedTest
  @ValueSource(strings = {"whole", "another tag", "gone"})
  void theOldSlicesGoWhenTheOriginHasAnotherContent(String how) {
    rig.get("Range: bytes=0-1");
    rig.get("Range: bytes=10-11");
    answerAll();
    Rig.Asker asker = rig.get("Range: bytes=22-23");
    Rig.Asked asked = rig.next();
    switch (how) {
      case "whole" -> asked.head(200, FRESH, "ETag: \"2\"", "Content-Length: 50");
      case "another tag" -> begin(asked, TEXT, FRESH, "ETag: \"2\"");
      default -> asked.head(404, "Content-Length: 0");
    }
    assertTrue(asked.isCancelled);
    assertEquals(0, rig.store.count());
    assertEquals(1, rig.tally.get(Why.SLICES_CHANGED));
    assertEquals(2, rig.tally.get(Why.SLICE_DROPPED));
    assertEquals(0, asker.status(), "nothing was sent yet");
    String changed = "NOT THE CONTENT FROM BEFORE, AND LONGER";
    answer(rig.next(), changed, FRESH, "ETag: \"2\"");
    assertEquals("206 " + changed.substring(22, 24), asker.result());
  }

  @Test
  void aResponseThatHasBegunIsCut() {
    Rig.Asker asker = rig.get();
    answer(rig.next(), TEXT, FRESH, TAG);
    assertEquals("0123456789", asker.body());
    begin(rig.next(), "ANOTHER".repeat(9), FRESH, "ETag: \"2\"");
    assertTrue(asker.isAborted);
    assertEquals("0123456789", asker.body());
    assertEquals(1, rig.tally.get(Why.CUT_SHORT));
    assertEquals(1, rig.tally.get(Why.SLICES_CHANGED));
  }

  @ParameterizedTest
  @ValueSource(strings = {"bytes 20-28/33", "bytes 0-9/33", "bytes 20-29/34", "none"})
  void anOriginThatLiesIsAskedForTheWhole(String range) {
    rig.get("Range: bytes=0-1");
    answerAll();
    Rig.Asker asker = rig.get("Range: bytes=22-23");
    rig.next().head(206, FRESH, TAG, "Content-Range: " + range);
    assertEquals(1, rig.tally.get(Why.SLICES_REFUSED));
    assertEquals(0, rig.store.count());
    assertEquals("22-23", range(rig.next()), "the client's own");
    answer(rig.next(), TEXT, FRESH, TAG);
    assertEquals("206 CD", asker.result());
  }

  @Test
  void moreBytesThanTheSliceHasReachNobody() {
    Rig.Asker asker = rig.get("Range: bytes=2-3");
    Rig.Asked asked =
        rig.next()
            .head(206, FRESH, TAG, "Content-Range: bytes 0-9/33", "Transfer-Encoding: chunked");
    asked.send("0123456789abc");
    assertTrue(asked.isCancelled && asker.isAborted);
    assertEquals("", asker.body());
    assertEquals(0, rig.store.count());
    assertEquals(1, rig.tally.get(Why.ORIGIN_EXCESS));
  }

  @Test
  void lessBytesThanTheSliceHasAreNotStored() {
    Rig.Asker asker = rig.get("Range: bytes=2-9");
    rig.next()
        .head(206, FRESH, TAG, "Content-Range: bytes 0-9/33", "Transfer-Encoding: chunked")
        .send("01234")
        .end();
    assertTrue(asker.isAborted);
    assertEquals("234", asker.body());
    assertEquals(0, rig.store.count());
    assertEquals(1, rig.tally.get(Why.ORIGIN_CUT));
  }

  @Test
  void anErrorForASliceIsTheOriginsOwn() {
    rig.get("Range: bytes=0-1");
    answerAll();
    Rig.Asker asker = rig.get("Range: bytes=22-23");
    rig.next().answer(503, "");
    rig.next().answer(503, "down");
    assertEquals("503 down", asker.result());
    assertEquals("206 01", rig.get("Range: bytes=0-1").result());
  }

  // ---- freshness, purges

  @Test
  void a304FreshensAllSlices() {
    rig.get();
    answerAll();
    rig.pass(11_000);
    Rig.Asker asker = rig.get("Range: bytes=12-13");
    assertTrue(rig.next().head().contains("If-None-Match: \"1\"\n"));
    assertEquals("10-19", range(rig.next()));
    rig.next().head(304, TAG, FRESH).end();
    assertEquals("206 cd", asker.result());
    assertEquals("200 " + TEXT, rig.get().result());
    assertEquals(5, rig.asked.size());
  }

  @Test
  void aValidationThatFindsAnotherContentReplacesTheSlices() {
    rig.get();
    answerAll();
    rig.pass(11_000);
    Rig.Asker asker = rig.get("Range: bytes=12-13");
    String changed = "ANOTHER".repeat(9);
    answer(rig.next(), changed, FRESH, "ETag: \"2\"");
    assertEquals("206 " + changed.substring(12, 14), asker.result());
    assertEquals(4, rig.tally.get(Why.SLICE_DROPPED));
    assertEquals(1, rig.store.count());
  }

  @Test
  void anotherSliceUpdatesTheHeadOfTheObject() {
    rig.get("Range: bytes=0-1");
    answerAll();
    rig.pass(8_000);
    rig.get("Range: bytes=12-13");
    answer(rig.next(), TEXT, "Cache-Control: max-age=100", TAG, "X-New: yes");
    Rig.Asker asker = rig.get("Range: bytes=0-1");
    assertEquals("206 01", asker.result());
    assertEquals("edge; hit; ttl=100", asker.said());
  }

  @ParameterizedTest
  @ValueSource(strings = {"url", "prefix", "surrogate"})
  void aPurgeTakesAllSlices(String by) {
    rig.get();
    while (!open().isEmpty()) {
      answer(open().get(0), TEXT, FRESH, TAG, "Surrogate-Key: news");
    }
    Rig.Asker late = rig.get("Range: bytes=0-");
    assertEquals("206 " + TEXT, late.result());
    Purge purge = new Purge();
    switch (by) {
      case "url" -> purge.addUrl("http://a/x");
      case "prefix" -> purge.addPrefix("http://a/");
      default -> purge.surrogates().add("news");
    }
    assertEquals(1, rig.edge.purge(purge));
    assertEquals(0, rig.store.count());
    assertEquals(0, rig.store.bytes());
  }

  @Test
  void aPurgeKeepsSlicesOnTheirWayOutOfTheStore() {
    Rig.Asker asker = rig.get("Range: bytes=0-12");
    answer(rig.next(), TEXT, FRESH, TAG);
    Purge purge = new Purge();
    purge.addUrl("http://a/x");
    rig.edge.purge(purge);
    answer(rig.next(), TEXT, FRESH, TAG);
    assertEquals("206 0123456789abc", asker.result());
    assertEquals(0, rig.store.count());
    assertEquals(0, rig.store.bytes());
  }

  @Test
  void variantsHaveSlicesOfTheirOwn() {
    rig.get("Accept: a", "Range: bytes=0-1");
    answer(rig.next(), TEXT, FRESH, TAG, "Vary: Accept");
    Rig.Asker other = rig.get("Accept: b", "Range: bytes=0-1");
    answer(rig.next(), TEXT.toUpperCase(java.util.Locale.ROOT), FRESH, TAG, "Vary: Accept");
    assertEquals("206 01", other.result());
    assertEquals(2, rig.store.count());
    assertEquals("206 01", rig.get("Accept: a", "Range: bytes=0-1").result());
    assertEquals(2, rig.asked.size());
  }

  @Test
  void aClientThatWantsStoredContentAloneGetsNoPart() {
    rig.get("Range: bytes=0-1");
    answerAll();
    String only = "Cache-Control: only-if-cached";
    assertEquals("206 01", rig.get("Range: bytes=0-1", only).result());
    assertEquals(504, rig.get("Range: bytes=8-12", only).status());
    assertEquals(1, rig.asked.size());
  }

  @Test
  void aSliceThatMayNotBeStoredIsItsClientsAlone() {
    rig.get("Range: bytes=0-1");
    answerAll();
    Rig.Asker one = rig.get("Range: bytes=12-13", "Authorization: x");
    Rig.Asker two = rig.get("Range: bytes=12-13");
    answer(rig.next(), TEXT, FRESH, TAG);
    assertEquals("206 cd", one.result());
    assertEquals(0, two.status());
    answer(rig.next(), TEXT, FRESH, TAG);
    assertEquals("206 cd", two.result());
    assertEquals("206 cd", rig.get("Range: bytes=12-13").result());
    assertEquals(3, rig.asked.size());
  }

  // ---- room

  @Test
  void slicesAreEvictedOneByOne() {
    Rig rig = Rig.sliced(CacheSettings.EDGE, 40_000, 4_000);
    String text = "0123456789".repeat(10_000);
    for (int i = 0; i < 25; i++) {
      Rig.Asker asker = rig.get("Range: bytes=" + 4_000 * i + "-" + (4_000 * i + 3_999));
      answer(rig.next(), text, "Cache-Control: max-age=1000", TAG);
      assertEquals("206 " + text.substring(0, 4_000), asker.result());
      assertTrue(rig.store.bytes() <= 40_000);
    }
    assertEquals(1, rig.store.count());
    assertTrue(rig.tally.get(Why.EVICTED) >= 17, rig.tally.snapshot().toString());
    int asked = rig.asked.size();
    assertEquals("206 7", rig.get("Range: bytes=99997-99997").result());
    assertEquals(asked, rig.asked.size());
  }

  @Test
  void slicesOnTheDiskOutliveTheProcess() throws Exception {
    Jobs jobs = new Jobs();
    rig.disk(directory, 1 << 20, jobs);
    rig.get("Range: bytes=0-15");
    answerAll();
    jobs.all();
    jobs.kill();
    Rig next = sliced();
    Jobs then = new Jobs();
    next.disk(directory, 1 << 20, then);
    assertEquals(2, next.tally.get(Why.RESTORED));
    assertEquals(1, next.store.count());
    Rig.Asker asker = next.get("Range: bytes=5-25");
    then.all();
    assertEquals("20-29", range(next.next()));
    answer(next.next(), TEXT, FRESH, TAG);
    then.all();
    assertEquals("206 " + TEXT.substring(5, 26), asker.result());
    Purge purge = new Purge();
    purge.addUrl("http://a/x");
    next.edge.purge(purge);
    then.all();
    then.kill();
    Rig last = sliced();
    last.disk(directory, 1 << 20, new Jobs());
    assertEquals(0, last.store.count());
  }
}
