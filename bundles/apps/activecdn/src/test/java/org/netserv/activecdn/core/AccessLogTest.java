// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.netserv.http.cache.CacheSettings;

/** Lines of the access log, read by the publisher's order. */
class AccessLogTest {
  private static final String AT = " 192.0.2.1 - - [06/Nov/1994:08:49:38 +0000] ";

  private final Rig rig = new Rig();

  private Rig.Asker read(Rig from, String query) {
    return from.begin("GET /.cdn/log" + query + " HTTP/1.1", "Authorization: Bearer " + Rig.SECRET);
  }

  private String log() {
    Rig.Asker asker = read(rig, "");
    assertEquals(200, asker.status());
    return asker.body();
  }

  @Test
  void aLineTellsTheRequestAndItsAnswer() {
    rig.get("User-Agent: curl/8.5", "Referer: http://a/");
    rig.next().answer(200, "hello", "Cache-Control: max-age=60");
    rig.get("User-Agent: curl/8.5");
    assertEquals(
        "1"
            + AT
            + "\"GET http://a/x HTTP/1.1\" 200 5 \"http://a/\" \"curl/8.5\""
            + " \"fwd=uri-miss; fwd-status=200; stored; ttl=60\" whole 0\n"
            + "2"
            + AT
            + "\"GET http://a/x HTTP/1.1\" 200 5 \"-\" \"curl/8.5\" \"hit; ttl=60\" whole 0\n",
        log());
  }

  @Test
  void refusalsHaveALineAndOrdersHaveNone() {
    rig.begin("TRACE /x HTTP/1.1");
    log();
    assertEquals(
        "1"
            + AT
            + "\"TRACE http://a/x HTTP/1.1\" 405 "
            + (Refusal.METHOD.text.length() + 1)
            + " \"-\" \"-\" \"-\" whole 0\n",
        log());
  }

  @Test
  void theTimeRunsFromTheRequestToItsEnd() {
    rig.get();
    rig.pass(1_234);
    rig.next().answer(404, "no");
    assertTrue(log().endsWith(" whole 1234\n"), log());
  }

  @Test
  void whatBreaksOffSaysSo() {
    rig.get();
    rig.next().head(200, "Content-Length: 10").send("12345").fail(Why.ORIGIN_CUT);
    Rig.Asker left = rig.get();
    left.leave();
    String[] lines = log().split("\n", -1);
    assertTrue(lines[0].matches(".* 200 5 .* cut 0"), lines[0]);
    assertTrue(lines[1].matches(".* 0 0 .* \"-\" gone 0"), lines[1]);
  }

  @Test
  void whatTheClientSendsStaysInItsQuotes() {
    rig.get("User-Agent: a\" 200 \\ b\u00e9\tc");
    rig.next().answer(200, "");
    assertTrue(log().contains("\"a\\x22 200 \\x5C b\\xE9\\x09c\""), log());
  }

  @Test
  void longTextsAreCut() {
    rig.get("User-Agent: " + "u".repeat(AccessLog.MOST_TEXT + 1));
    rig.next().answer(200, "");
    assertTrue(log().contains("\"" + "u".repeat(AccessLog.MOST_TEXT) + "\" "), log());
  }

  @Test
  void theOldestLinesMakeRoomAndTheNumbersShowIt() {
    int requests = 1_000;
    for (int i = 0; i < requests; i++) {
      rig.begin("TRACE /x HTTP/1.1");
    }
    String all = log();
    long oldest = Long.parseLong(all.substring(0, all.indexOf(' ')));
    long lines = all.lines().count();
    assertEquals(requests, oldest + lines - 1);
    assertTrue(all.length() <= Rig.LOG && lines > 50, lines + " lines");
    assertEquals("", read(rig, "?from=" + (requests + 1)).body());
    assertEquals(2, read(rig, "?from=" + (requests - 1)).body().lines().count());
    assertEquals(all, read(rig, "?from=3").body());
  }

  @Test
  void anAnswerHasABoundAndTheNextGoesOnBehindIt() {
    Rig large = new Rig(CacheSettings.EDGE, 1 << 20, SignedUrls.NONE, 1 << 22);
    String agent = "User-Agent: " + "u".repeat(AccessLog.MOST_TEXT);
    for (int i = 0; i < 400; i++) {
      large.begin("TRACE /x HTTP/1.1", agent);
    }
    String first = read(large, "").body();
    assertTrue(first.length() <= AccessLog.MOST_ANSWER, first.length() + " characters");
    long next = first.lines().count() + 1;
    String second = read(large, "?from=" + next).body();
    assertTrue(second.startsWith(next + " "));
    assertEquals(400, next - 1 + second.lines().count());
  }

  @Test
  void otherOrdersForTheLogAreNone() {
    assertEquals(400, read(rig, "?from=x").status());
    assertEquals(400, read(rig, "?from=-1").status());
    assertEquals(403, rig.begin("GET /.cdn/log HTTP/1.1").status());
    Rig without = new Rig(CacheSettings.EDGE, 1 << 20, SignedUrls.NONE, 0);
    assertEquals(400, read(without, "").status());
  }
}
