// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.http.FieldSection;
import org.netserv.http.Heads;

class FreshnessTest {
  private static Freshness.Source source(int status, String... fields) {
    FieldSection section = Heads.fields(fields);
    return Freshness.source(new Policy(CacheSettings.EDGE).reset(section), section, status);
  }

  /** The lifetime in seconds of a 200 with Date at NOW. */
  private static long lifetime(String... fields) {
    return lifetime(CacheSettings.EDGE, fields);
  }

  private static long lifetime(CacheSettings settings, String... fields) {
    FieldSection section = Heads.fields(fields);
    Policy policy = new Policy(settings).reset(section);
    Freshness.Source source = Freshness.source(policy, section, 200);
    return Freshness.lifetime(source, policy, section, Shelf.NOW, settings) / 1000;
  }

  @Test
  void theFirstRuleThatMatchesGivesTheLifetime() {
    String expires = "Expires: " + Shelf.date(4);
    String modified = "Last-Modified: " + Shelf.date(-1000);
    assertEquals(2, lifetime("Cache-Control: max-age=3, s-maxage=2", expires, modified));
    assertEquals(3, lifetime("Cache-Control: max-age=3", expires, modified));
    assertEquals(4, lifetime(expires, modified));
    assertEquals(100, lifetime(modified));
    assertEquals(0, lifetime("X: y"));
    assertEquals(Freshness.Source.S_MAXAGE, source(200, "Cache-Control: max-age=3, s-maxage=2"));
  }

  @Test
  void wrongInformationGivesNoLifetimeAndNoHeuristic() {
    String modified = "Last-Modified: " + Shelf.date(-1000);
    assertEquals(0, lifetime("Cache-Control: max-age=x", "Expires: " + Shelf.date(9), modified));
    assertEquals(0, lifetime("Cache-Control: s-maxage", "Cache-Control: max-age=9", modified));
    assertEquals(0, lifetime("Expires: 0", modified));
    assertEquals(0, lifetime("Expires:", modified));
    assertEquals(0, lifetime("Expires: " + Shelf.date(9).replace("GMT", "UTC"), modified));
    assertEquals(0, lifetime("Expires: " + Shelf.date(9), "Expires: " + Shelf.date(9), modified));
    assertEquals(0, lifetime("Expires: " + Shelf.date(-9), modified));
  }

  @Test
  void expiresIsReadInAnyCaseAndFarAhead() {
    assertEquals(9, lifetime("Expires: " + Shelf.date(9).toUpperCase(Locale.ROOT)));
    assertTrue(lifetime("Expires: Sun, 21 Nov 2286 04:46:39 GMT") > 8_000_000_000L);
  }

  @Test
  void expiresIsRelativeToTheOriginsDate() {
    StoredResponse stored =
        Shelf.store("Date: " + Shelf.date(-100), "Expires: " + Shelf.date(-40), "ETag: \"a\"");
    assertEquals(60_000, stored.lifetime());
    assertFalse(stored.isFresh(Shelf.NOW));
  }

  @Test
  void expiresCountsFromTheArrivalWithoutADate() {
    FieldSection fields = Heads.fields("Expires: " + Shelf.date(9));
    assertEquals(Shelf.NOW, Freshness.date(fields, Shelf.NOW));
    assertEquals(Shelf.NOW, Freshness.date(Heads.fields("Date: yesterday"), Shelf.NOW));
  }

  @Test
  void aTargetedFieldTakesTheMeaningFromExpires() {
    assertEquals(0, lifetime("CDN-Cache-Control: none", "Expires: " + Shelf.date(9)));
    assertEquals(5, lifetime("CDN-Cache-Control: max-age=5", "Cache-Control: s-maxage=9"));
  }

  @ParameterizedTest
  @CsvSource({
    "200, HEURISTIC",
    "203, HEURISTIC",
    "204, HEURISTIC",
    "206, HEURISTIC",
    "300, HEURISTIC",
    "301, HEURISTIC",
    "308, HEURISTIC",
    "404, HEURISTIC",
    "405, HEURISTIC",
    "410, HEURISTIC",
    "414, HEURISTIC",
    "501, HEURISTIC",
    "201, NONE",
    "302, NONE",
    "303, NONE",
    "307, NONE",
    "400, NONE",
    "403, NONE",
    "500, NONE",
    "502, NONE",
    "503, NONE",
    "504, NONE",
    "599, NONE"
  })
  void heuristicsAreForSomeStatusCodes(int status, Freshness.Source source) {
    assertEquals(source, source(status, "Last-Modified: " + Shelf.date(-9)));
  }

  @Test
  void publicAllowsHeuristicsForAnyStatusCode() {
    assertEquals(
        Freshness.Source.HEURISTIC,
        source(599, "Last-Modified: " + Shelf.date(-9), "Cache-Control: public"));
  }

  @Test
  void heuristicsHaveACeilingAndCanBeTurnedOff() {
    String old = "Last-Modified: " + Shelf.date(-100_000_000);
    assertEquals(86_400, lifetime(old));
    assertEquals(0, lifetime("Last-Modified: " + Shelf.date(100)));
    CacheSettings off = new CacheSettings(List.of(), 0, 100, 0, true, 0, 8, 1000);
    assertEquals(0, lifetime(off, old));
  }

  @Test
  void errorsWithoutALifetimeGetTheSettingForThem() {
    CacheSettings negative = new CacheSettings(List.of(), 10, 100, 7, true, 0, 8, 1000);
    FieldSection none = Heads.fields("X: y");
    Policy policy = new Policy(negative).reset(none);
    for (int status : new int[] {404, 405, 410, 414, 501}) {
      Freshness.Source source = Freshness.source(policy, none, status);
      assertEquals(Freshness.Source.NEGATIVE, source);
      assertEquals(7_000, Freshness.lifetime(source, policy, none, Shelf.NOW, negative));
      assertEquals(0, Freshness.lifetime(source, policy, none, Shelf.NOW, CacheSettings.EDGE));
    }
    assertEquals(Freshness.Source.NONE, Freshness.source(policy, none, 503));
    assertEquals(Freshness.Source.NONE, Freshness.source(policy, none, 200));
    assertEquals(Freshness.Source.MAX_AGE, source(404, "Cache-Control: max-age=1"));
  }

  @Test
  void aResponseIsFreshWhileItsAgeIsBelowItsLifetime() {
    StoredResponse stored = Shelf.store("Cache-Control: max-age=10");
    assertTrue(stored.isFresh(Shelf.NOW + 9_999));
    assertFalse(stored.isFresh(Shelf.NOW + 10_000));
    assertEquals(-1, stored.remaining(Shelf.NOW + 10_001));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Age: 7 | 7",
        "Age: 007 | 7",
        "Age: 7, 1 | 7",
        "Age: 7 , x | 7",
        "Age: 99999999999999999999 | 2147483648",
        "Age: 2147483648 | 2147483648",
        "Age: -7 | 0",
        "Age: 7.0 | 0",
        "Age: 7;x=y | 0",
        "Age: abc | 0",
        "Age: | 0",
        "X: 7 | 0"
      })
  void theFirstNumberOfAgeCounts(String line, long seconds) {
    assertEquals(seconds, Age.value(Heads.fields(line)));
  }

  @Test
  void theFirstLineOfAgeCounts() {
    assertEquals(0, Age.value(Heads.fields("Age: 0", "Age: 7")));
    assertEquals(7, Age.value(Heads.fields("Age: 7", "Age: 0")));
  }

  /** The formulas of RFC 9111 section 4.2.3, in seconds. */
  @ParameterizedTest
  @CsvSource({
    // age, date, request, response, now, current age
    "0,    100, 100, 100, 100,  0",
    "0,    100, 100, 100, 160, 60",
    "0,     90, 100, 102, 102, 12",
    "30,    90, 100, 102, 102, 32",
    "30,   200, 100, 102, 110, 40",
    "0,    200, 100, 100, 100,  0",
    "0,    100, 100, 100,  50,  0",
    "5,    100, 110, 100, 100,  5"
  })
  void ages(long age, long date, long request, long response, long now, long current) {
    long initial = Age.initial(age, date * 1000, request * 1000, response * 1000);
    assertEquals(current * 1000, Age.current(initial, response * 1000, now * 1000));
  }

  @Test
  void anAgeThatOverflowsElsewhereIsStale() {
    StoredResponse stored =
        Shelf.store("Cache-Control: max-age=3600", "Age: 99999999999", "ETag: \"a\"");
    assertFalse(stored.isFresh(Shelf.NOW));
  }
}
