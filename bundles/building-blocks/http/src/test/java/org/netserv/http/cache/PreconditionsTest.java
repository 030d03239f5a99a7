// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.netserv.http.Heads;
import org.netserv.http.HttpMethod;

/** Preconditions of clients on stored responses (RFC 9110, 13, and RFC 9111, 4.3.2). */
class PreconditionsTest {
  private static final StoredResponse STRONG =
      Shelf.store("ETag: \"a\"", "Last-Modified: " + Shelf.date(-100));
  private static final StoredResponse WEAK =
      Shelf.store("ETag: W/\"a\"", "Last-Modified: " + Shelf.date(-100));
  private static final StoredResponse UNDATED = Shelf.store("Cache-Control: max-age=9");

  private static Preconditions.Result get(StoredResponse stored, String... fields) {
    return Preconditions.evaluate(HttpMethod.GET, Heads.get(fields).fields(), stored, Shelf.NOW);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "* | NOT_MODIFIED",
        "\"a\" | NOT_MODIFIED",
        "W/\"a\" | NOT_MODIFIED",
        "\"x\", W/\"a\" | NOT_MODIFIED",
        "\"x,\",\"a\" | NOT_MODIFIED",
        ", ,\"a\" | NOT_MODIFIED",
        "x, \"a\" | NOT_MODIFIED",
        "\"b\" | PROCEED",
        "a | PROCEED",
        "\"a | PROCEED",
        "'a' | PROCEED",
        "w/\"a\" | PROCEED",
        "\"A\" | PROCEED",
        "\"x\", * | PROCEED",
        "`` | PROCEED"
      })
  void ifNoneMatchComparesWeakly(String value, Preconditions.Result expected) {
    assertEquals(expected, get(STRONG, "If-None-Match: " + value));
    assertEquals(expected, get(WEAK, "If-None-Match: " + value));
  }

  @Test
  void ifNoneMatchIsReadFromAllLines() {
    assertEquals(
        Preconditions.Result.NOT_MODIFIED,
        get(STRONG, "If-None-Match: \"x\"", "If-None-Match: \"a\""));
    assertEquals(Preconditions.Result.PROCEED, get(UNDATED, "If-None-Match: \"a\""));
    assertEquals(Preconditions.Result.NOT_MODIFIED, get(UNDATED, "If-None-Match: *"));
  }

  @Test
  void ifNoneMatchGoesBeforeIfModifiedSince() {
    String since = "If-Modified-Since: " + Shelf.date(0);
    assertEquals(Preconditions.Result.PROCEED, get(STRONG, "If-None-Match: \"b\"", since));
    assertEquals(Preconditions.Result.NOT_MODIFIED, get(STRONG, since));
    String old = "If-Modified-Since: " + Shelf.date(-999);
    assertEquals(Preconditions.Result.NOT_MODIFIED, get(STRONG, old, "If-None-Match: \"a\""));
  }

  @ParameterizedTest
  @CsvSource({"-101, PROCEED", "-100, NOT_MODIFIED", "-99, NOT_MODIFIED", "9999, NOT_MODIFIED"})
  void ifModifiedSinceComparesWithLastModified(long seconds, Preconditions.Result expected) {
    assertEquals(expected, get(STRONG, "If-Modified-Since: " + Shelf.date(seconds)));
  }

  @Test
  void ifModifiedSinceComparesWithDateWhereLastModifiedIsMissing() {
    assertEquals(
        Preconditions.Result.NOT_MODIFIED, get(UNDATED, "If-Modified-Since: " + Shelf.date(0)));
    assertEquals(
        Preconditions.Result.PROCEED, get(UNDATED, "If-Modified-Since: " + Shelf.date(-1)));
  }

  @Test
  void ifModifiedSinceThatIsNoSingleDateIsIgnored() {
    String date = Shelf.date(0);
    assertEquals(Preconditions.Result.PROCEED, get(STRONG, "If-Modified-Since: today"));
    assertEquals(
        Preconditions.Result.PROCEED, get(STRONG, "If-Modified-Since: " + date + ", " + date));
    assertEquals(
        Preconditions.Result.PROCEED,
        get(STRONG, "If-Modified-Since: " + date, "If-Modified-Since: " + date));
  }

  @ParameterizedTest
  @EnumSource(HttpMethod.class)
  void otherMethodsThanGetAndHeadAreNotEvaluated(HttpMethod method) {
    var fields = Heads.get("If-None-Match: *", "If-Modified-Since: " + Shelf.date(0)).fields();
    boolean retrieves = method == HttpMethod.GET || method == HttpMethod.HEAD;
    assertEquals(
        retrieves ? Preconditions.Result.NOT_MODIFIED : Preconditions.Result.PROCEED,
        Preconditions.evaluate(method, fields, STRONG, Shelf.NOW));
  }

  @Test
  void aStoredRedirectOrErrorIsSentAsItIs() {
    for (int status : new int[] {301, 404, 410}) {
      StoredResponse stored =
          Shelf.store(Heads.get(), status, "Cache-Control: max-age=9", "ETag: \"a\"");
      assertEquals(Preconditions.Result.PROCEED, get(stored, "If-None-Match: \"a\""));
    }
  }

  @Test
  void preconditionsForOriginServersAreNotEvaluated() {
    assertEquals(
        Preconditions.Result.PROCEED,
        get(STRONG, "If-Match: \"b\"", "If-Unmodified-Since: " + Shelf.date(-999)));
  }

  private static boolean range(StoredResponse stored, String... fields) {
    return Preconditions.allowsRange(Heads.get(fields).fields(), stored, Shelf.NOW);
  }

  @Test
  void ifRangeNeedsAnEqualStrongValidator() {
    assertTrue(range(STRONG));
    assertTrue(range(STRONG, "If-Range: \"a\""));
    assertFalse(range(STRONG, "If-Range: \"b\""));
    assertFalse(range(STRONG, "If-Range: W/\"a\""));
    assertFalse(range(WEAK, "If-Range: W/\"a\""));
    assertFalse(range(WEAK, "If-Range: \"a\""));
    assertFalse(range(STRONG, "If-Range: a"));
    assertFalse(range(STRONG, "If-Range: \"a\"", "If-Range: \"a\""));
  }

  @Test
  void ifRangeNeedsTheVeryDateOfAStrongLastModified() {
    assertTrue(range(STRONG, "If-Range: " + Shelf.date(-100)));
    assertFalse(range(STRONG, "If-Range: " + Shelf.date(-99)));
    assertFalse(range(STRONG, "If-Range: " + Shelf.date(0)));
    StoredResponse young = Shelf.store("Last-Modified: " + Shelf.date(0));
    assertFalse(range(young, "If-Range: " + Shelf.date(0)));
    assertFalse(range(UNDATED, "If-Range: " + Shelf.date(0)));
  }

  /** The order of RFC 9110 section 13.2.2, steps 3 to 6. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "GET; X: y; FULL",
        "GET; Range: bytes=0-1; PART",
        "GET; Range: bytes=0-1,500-501; PARTS",
        "GET; Range: bytes=5000-; UNSATISFIABLE",
        "GET; Range: lines=5000-; FULL",
        "HEAD; Range: bytes=0-1; FULL",
        "GET; Range: bytes=0-1|If-Range: \"a\"; PART",
        "GET; Range: bytes=0-1|If-Range: \"b\"; FULL",
        "GET; Range: bytes=5000-|If-Range: \"b\"; FULL",
        "GET; If-Range: \"a\"; FULL",
        "GET; If-Range: \"b\"; FULL",
        "GET; Range: bytes=0-1|If-Range: \"a\"|If-None-Match: \"a\"; NOT_MODIFIED",
        "GET; Range: bytes=0-1|If-Range: \"a\"|If-None-Match: \"b\"; PART",
        "GET; Range: bytes=5000-|If-None-Match: \"a\"; NOT_MODIFIED",
        "HEAD; If-None-Match: \"a\"; NOT_MODIFIED"
      })
  void preconditionsThenIfRangeThenRange(String method, String fields, Answer expected) {
    String[] lines = (method + " / HTTP/1.1|Host: a|" + fields).split("\\|", -1);
    ByteRanges ranges = new ByteRanges(16);
    assertEquals(
        expected, Answer.decide(Heads.request(lines), STRONG.withLength(1000), ranges, Shelf.NOW));
  }

  @Test
  void rangesAreForA200Alone() {
    StoredResponse missing =
        Shelf.store(Heads.get(), 404, "Cache-Control: max-age=9").withLength(1000);
    assertEquals(
        Answer.FULL,
        Answer.decide(Heads.get("Range: bytes=0-1"), missing, new ByteRanges(16), Shelf.NOW));
  }
}
