// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HeadLimits;
import org.netserv.http.HeadWriter;
import org.netserv.http.Heads;
import org.netserv.http.HttpMethod;
import org.netserv.http.RequestHead;

/** Conditional requests, 304, HEAD and invalidation (RFC 9111, 4.3 and 4.4). */
class ValidationTest {
  private static final String OLD = "Last-Modified: " + Shelf.date(-1000);
  private final HeadWriter out = Shelf.writer();
  private final Freshening freshening = new Freshening(CacheSettings.EDGE, HeadLimits.USUAL);

  @Test
  void allTagsAreSentAndTheDateOfASingleResponse() {
    StoredResponse both = Shelf.store("ETag: \"a\"", OLD);
    assertTrue(Validation.write(out.begin(), List.of(both)));
    assertEquals(
        "If-None-Match: \"a\"\nIf-Modified-Since: " + Shelf.date(-1000) + "\n", Heads.text(out));
    StoredResponse weak = Shelf.store("ETag: W/\"b\"");
    assertTrue(Validation.write(out.begin(), List.of(both, weak)));
    assertEquals("If-None-Match: \"a\", W/\"b\"\n", Heads.text(out));
    StoredResponse dated = Shelf.store(OLD);
    assertTrue(Validation.write(out.begin(), List.of(dated)));
    assertEquals("If-Modified-Since: " + Shelf.date(-1000) + "\n", Heads.text(out));
    assertFalse(Validation.write(out.begin(), List.of(Shelf.store("Cache-Control: max-age=1"))));
    assertEquals(0, out.length());
  }

  @Test
  void theNumberOfTagsIsBounded() {
    List<StoredResponse> many = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      many.add(Shelf.store("ETag: \"" + i + "\""));
    }
    Validation.write(out.begin(), many);
    assertTrue(Heads.text(out).endsWith("\"15\"\n"), Heads.text(out));
  }

  @Test
  void aPartIsCompletedByItsStrongValidator() {
    assertTrue(Validation.writeIfRange(out.begin(), Shelf.store("ETag: \"a\"", OLD)));
    assertEquals("If-Range: \"a\"\n", Heads.text(out));
    assertTrue(Validation.writeIfRange(out.begin(), Shelf.store(OLD)));
    assertEquals("If-Range: " + Shelf.date(-1000) + "\n", Heads.text(out));
    assertFalse(Validation.writeIfRange(out.begin(), Shelf.store("ETag: W/\"a\"", OLD)));
    StoredResponse young = Shelf.store("Last-Modified: " + Shelf.date(0));
    assertFalse(Validation.writeIfRange(out.begin(), young));
  }

  @ParameterizedTest
  @CsvSource({
    "304, FRESHEN", "200, REPLACE", "206, REPLACE", "301, REPLACE", "404, REPLACE",
    "412, REPLACE", "500, ERROR", "502, ERROR", "503, ERROR", "504, ERROR"
  })
  void outcomes(int status, Validation.Outcome outcome) {
    assertEquals(outcome, Validation.outcome(status));
  }

  private long identify(List<StoredResponse> stored, String... fields) {
    return identify(stored, -1, fields);
  }

  private long identify(List<StoredResponse> stored, int validated, String... fields) {
    return freshening.identify(
        stored, validated, Heads.get().fields(), Heads.fields(fields), Shelf.NOW);
  }

  @Test
  void aStrongTagIdentifiesAllResponsesThatHaveIt() {
    StoredResponse a = Shelf.store("ETag: \"a\"", OLD);
    StoredResponse b = Shelf.store("ETag: \"b\"", OLD);
    StoredResponse weak = Shelf.store("ETag: W/\"a\"", OLD);
    assertEquals(0b101, identify(List.of(a, b, a), "ETag: \"a\""));
    assertEquals(0b010, identify(List.of(a, b, a), "ETag: \"b\"", OLD));
    assertEquals(0, identify(List.of(a, b), "ETag: \"c\"", OLD));
    assertEquals(0, identify(List.of(weak), "ETag: \"a\""));
  }

  @Test
  void aWeakTagIdentifiesTheMostRecentResponseThatHasIt() {
    StoredResponse old = Shelf.store("Date: " + Shelf.date(-9), "ETag: W/\"a\"");
    StoredResponse recent = Shelf.store("Date: " + Shelf.date(-5), "ETag: \"a\"");
    StoredResponse other = Shelf.store("ETag: W/\"b\"");
    assertEquals(0b010, identify(List.of(old, recent, other), "ETag: W/\"a\""));
    assertEquals(0, identify(List.of(other), "ETag: W/\"a\""));
  }

  @Test
  void aDateIdentifiesResponsesModifiedThen() {
    StoredResponse a = Shelf.store(OLD);
    StoredResponse other = Shelf.store("Last-Modified: " + Shelf.date(-999));
    assertEquals(0b101, identify(List.of(a, other, a), OLD, Shelf.DATE));
    assertEquals(0, identify(List.of(a), "Last-Modified: " + Shelf.date(-1), Shelf.DATE));
    String now = "Last-Modified: " + Shelf.date(0);
    StoredResponse first = Shelf.store(now);
    assertEquals(0b01, identify(List.of(first, first), now, Shelf.DATE));
  }

  @Test
  void withoutAnyValidatorTheOneThatWasValidatedIsIdentified() {
    StoredResponse bare = Shelf.store("Cache-Control: max-age=9");
    StoredResponse tagged = Shelf.store("ETag: \"a\"");
    assertEquals(1, identify(List.of(bare), Shelf.DATE));
    assertEquals(0, identify(List.of(tagged), Shelf.DATE));
    assertEquals(0, identify(List.of(bare, bare), Shelf.DATE));
    assertEquals(0b10, identify(List.of(tagged, tagged), 1, Shelf.DATE));
    assertEquals(0, identify(List.of(tagged, tagged), 1, "ETag: \"b\""));
    List<StoredResponse> many = Collections.nCopies(80, tagged);
    assertEquals(1L << 63, identify(many, 63, Shelf.DATE));
    assertEquals(0, identify(many, 64, Shelf.DATE)); // beyond the bits of the answer
  }

  @Test
  void responsesThatCouldNotBeChosenAreNotIdentified() {
    StoredResponse german = Shelf.store(Heads.get("Foo: de"), 200, "ETag: \"a\"", "Vary: Foo");
    StoredResponse plain = Shelf.store(Heads.get(), 200, "ETag: \"a\"", "Vary: Foo");
    assertEquals(0b10, identify(List.of(german, plain), "ETag: \"a\""));
  }

  private StoredResponse update(StoredResponse stored, String... fields) {
    return freshening.update(stored, Heads.fields(fields), Shelf.NOW + 9_000, Shelf.NOW + 9_000);
  }

  @Test
  void a304ReplacesFieldsAndKeepsTheOthers() {
    StoredResponse stored =
        Shelf.store("Cache-Control: max-age=1", "ETag: \"a\"", "A: 1", "A: 2", "B: 3", "Age: 7");
    StoredResponse fresh =
        update(
            stored.withLength(5),
            "Date: " + Shelf.date(9),
            "Cache-Control: max-age=60",
            "a: new",
            "C: added",
            "Content-Length: 0",
            "Content-Range: bytes 0-1/2",
            "Connection: X-Hop",
            "X-Hop: 1",
            "Proxy-Authenticate: x");
    assertEquals(
        "HTTP/1.1 200 \nETag: \"a\"\nB: 3\nDate: "
            + Shelf.date(9)
            + "\nCache-Control: max-age=60\na: new\nC: added\n\n",
        Shelf.head(fresh));
    assertEquals(5, fresh.length());
    assertEquals(60_000, fresh.lifetime());
    assertEquals(0, fresh.age(Shelf.NOW + 9_000));
    assertTrue(fresh.isFresh(Shelf.NOW + 68_999));
  }

  @Test
  void aFieldThatConnectionListsDoesNotReplaceAStoredOne() {
    StoredResponse stored = Shelf.store("ETag: \"a\"", "A: 1");
    StoredResponse fresh = update(stored, "Connection: a", "A: 2", Shelf.DATE);
    assertTrue(Shelf.head(fresh).contains("\nA: 1\n"));
    assertFalse(Shelf.head(fresh).contains("A: 2"));
  }

  @Test
  void theDirectivesOfTheUpdatedResponseTakeFieldsAway() {
    StoredResponse stored = Shelf.store("Cache-Control: no-cache=\"Set-Cookie\"", "ETag: \"a\"");
    StoredResponse fresh = update(stored, "Set-Cookie: x", Shelf.DATE);
    assertFalse(Shelf.head(fresh).contains("Set-Cookie: x"));
    StoredResponse later = update(Shelf.store("ETag: \"a\"", "B: 1"), "Cache-Control: private=b");
    assertFalse(Shelf.head(later).contains("\nB: 1"));
  }

  @Test
  void a304WithoutADateCountsFromItsArrival() {
    StoredResponse fresh = update(Shelf.store("Cache-Control: max-age=5", "ETag: \"a\""), "X: y");
    assertTrue(fresh.isFresh(Shelf.NOW + 9_000 + 4_999));
    assertTrue(Shelf.head(fresh).contains("Date: " + Shelf.date(9)));
  }

  @Test
  void a304EndsAnInvalidation() {
    StoredResponse invalid = Shelf.store("Cache-Control: max-age=5", "ETag: \"a\"").invalidated();
    assertFalse(update(invalid, Shelf.DATE).needsValidation());
  }

  @Test
  void aHeadResponseUpdatesOrInvalidates() {
    StoredResponse stored = Shelf.store("ETag: \"a\"", OLD).withLength(5);
    assertEquals(
        Freshening.HeadResult.UPDATE, Freshening.afterHead(stored, Heads.response(200, "X: y")));
    assertEquals(
        Freshening.HeadResult.UPDATE,
        Freshening.afterHead(stored, Heads.response(200, "ETag: \"a\"", OLD, "Content-Length: 5")));
    for (String other :
        List.of(
            "ETag: \"b\"",
            "ETag: W/\"a\"",
            "Last-Modified: " + Shelf.date(0),
            "Content-Length: 6")) {
      assertEquals(
          Freshening.HeadResult.INVALIDATE,
          Freshening.afterHead(stored, Heads.response(200, other)),
          other);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "POST, 200, true", "PUT, 201, true", "DELETE, 204, true", "PATCH, 303, true",
    "OTHER, 200, true", "POST, 400, false", "POST, 500, false", "POST, 100, false",
    "GET, 200, false", "HEAD, 200, false", "OPTIONS, 200, false", "TRACE, 200, false"
  })
  void successOfAnUnsafeMethodInvalidates(HttpMethod method, int status, boolean invalidates) {
    assertEquals(invalidates, Invalidation.decide(method, status));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "null",
      value = {
        "http://a/x/y | /z | http://a/z",
        "http://a/x/y | z?q#f | http://a/x/z?q",
        "http://a/x/y | http://a:80/z | http://a:80/z",
        "http://a/x/y | HTTP://A/z | HTTP://A/z",
        "http://a/x/y | //a/z | http://a/z",
        "http://a/x/y | //b/z | null",
        "http://a/x/y | https://a/z | null",
        "http://a/x/y | http://a:81/z | null",
        "http://a/x/y | http://a@b/z | null",
        "http://a/x/y | mailto:x@a | null",
        "http://a/x/y | /^ | null",
        "https://a/x | https://a:443/y | https://a:443/y"
      })
  void otherUrisAreOfTheSameOrigin(String target, String location, String expected) {
    FieldSection fields = Heads.fields("Location: " + location);
    assertEquals(expected, Invalidation.other(target, fields, Field.LOCATION));
  }

  @Test
  void aForwardedRequestHasNoPreconditionsOfTheClientWhereTheWholeIsWanted() {
    RequestHead request =
        Heads.request(
            "GET http://B/x?y HTTP/1.0",
            "Host: other",
            "Cache-Control: max-age=9, community=\"UCI\"",
            "If-None-Match: \"x\"",
            "If-Modified-Since: x",
            "If-Range: x",
            "Range: bytes=0-1",
            "X: 1",
            "Connection: X-Hop, keep-alive",
            "X-Hop: 2",
            "X: 3");
    Forwarding.write(out, request, Forwarding.Purpose.FILL, "edge");
    assertEquals(
        """
        GET /x?y HTTP/1.1
        Host: B
        Cache-Control: max-age=9, community="UCI"
        X: 1
        X: 3
        Via: 1.0 edge
        """,
        Heads.text(out));
    Forwarding.write(out, request, Forwarding.Purpose.PASS, "edge");
    assertTrue(Heads.text(out).contains("If-None-Match: \"x\"\nIf-Modified-Since: x\n"));
    assertTrue(Heads.text(out).contains("Range: bytes=0-1\n"));
    assertTrue(out.fits());
  }

  @Test
  void hopsAreCountedDownAndEndHere() {
    RequestHead two = Heads.request("OPTIONS / HTTP/1.1", "Host: a", "Max-Forwards: 2");
    assertTrue(Forwarding.isAllowed(two));
    Forwarding.write(out, two, Forwarding.Purpose.PASS, "edge");
    assertTrue(Heads.text(out).contains("\nMax-Forwards: 1\n"));
    RequestHead none = Heads.request("TRACE / HTTP/1.1", "Host: a", "Max-Forwards: 0");
    assertFalse(Forwarding.isAllowed(none));
    assertTrue(Forwarding.isAllowed(Heads.get("Max-Forwards: 0")));
    Forwarding.write(out, Heads.get("Max-Forwards: 2"), Forwarding.Purpose.PASS, "edge");
    assertTrue(Heads.text(out).contains("\nMax-Forwards: 2\n"));
  }

  @Test
  void theModuleChoosesAmongTheLines() {
    Forwarding.write(
        out,
        Heads.get("X: 1", "Y: 2"),
        Forwarding.Purpose.PASS,
        "edge",
        (fields, line) -> !fields.text(line).equals("1"));
    assertEquals("GET / HTTP/1.1\nHost: a\nY: 2\nVia: 1.1 edge\n", Heads.text(out));
  }

  @Test
  void theFramingOfTheContentGoesOn() {
    RequestHead chunked =
        Heads.request("POST / HTTP/1.1", "Host: a", "TE: trailers", "Transfer-Encoding: Chunked");
    Forwarding.write(out, chunked, Forwarding.Purpose.PASS, "edge");
    assertEquals(
        "POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\nVia: 1.1 edge\n", Heads.text(out));
    RequestHead sized = Heads.request("PUT / HTTP/1.1", "Host: a", "Content-Length: 5");
    Forwarding.write(out, sized, Forwarding.Purpose.PASS, "edge");
    assertTrue(Heads.text(out).contains("\nContent-Length: 5\n"));
  }
}
