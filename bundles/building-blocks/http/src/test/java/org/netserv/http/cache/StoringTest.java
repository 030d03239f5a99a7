// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.http.HeadLimits;
import org.netserv.http.Heads;
import org.netserv.http.RequestHead;
import org.netserv.http.ResponseHead;

class StoringTest {
  private static final RequestHead GET = Heads.get();

  /** Each row is a rule of RFC 9111 section 3. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "200 | max-age=9 | STORE",
        "200 | s-maxage=9 | STORE",
        "200 | public, max-age=9 | STORE",
        "200 | no-store | NO_STORE",
        "200 | max-age=9, no-store | NO_STORE",
        "200 | max-age=9, NO-STORE=x | NO_STORE",
        "200 | private | PRIVATE",
        "200 | private, max-age=9, s-maxage=9 | PRIVATE",
        "200 | private=\"x\", max-age=9 | STORE",
        "200 | must-understand, no-store, max-age=9 | STORE",
        "299 | must-understand, max-age=9 | NOT_UNDERSTOOD",
        "299 | must-understand, no-store, max-age=9 | NOT_UNDERSTOOD",
        "299 | max-age=9 | STORE",
        "302 | max-age=9 | STORE",
        "302 | x | NOT_ALLOWED",
        "500 | x | NOT_ALLOWED",
        "500 | stale-if-error=9 | NOT_ALLOWED",
        "404 | max-age=9 | STORE",
        "200 | max-age=0 | USELESS",
        "200 | x | USELESS",
        "200 | no-cache, max-age=9 | USELESS",
        "200 | max-age=0, stale-while-revalidate=9 | STORE",
        "103 | max-age=9 | NOT_FINAL",
        "304 | max-age=9 | NOT_MODIFIED",
        "412 | max-age=9 | REQUESTED",
        "416 | max-age=9 | REQUESTED"
      })
  void directivesAndStatusCodes(int status, String control, StoreVerdict verdict) {
    assertEquals(verdict, Shelf.verdict(GET, status, "Cache-Control: " + control));
  }

  @Test
  void aValidatorMakesAStaleResponseUseful() {
    assertEquals(StoreVerdict.STORE, Shelf.verdict(GET, 200, "ETag: \"a\""));
    assertEquals(
        StoreVerdict.STORE, Shelf.verdict(GET, 200, "ETag: W/\"a\"", "Cache-Control: no-cache"));
    assertEquals(StoreVerdict.USELESS, Shelf.verdict(GET, 200, "ETag: a"));
    assertEquals(StoreVerdict.STORE, Shelf.verdict(GET, 200, "Last-Modified: " + Shelf.date(0)));
    assertEquals(StoreVerdict.USELESS, Shelf.verdict(GET, 200, "Last-Modified: yesterday"));
  }

  @Test
  void expiresAllowsStoringUnlessAFieldIsTargeted() {
    String expires = "Expires: " + Shelf.date(9);
    assertEquals(StoreVerdict.STORE, Shelf.verdict(GET, 302, expires));
    assertEquals(
        StoreVerdict.NOT_ALLOWED, Shelf.verdict(GET, 302, expires, "CDN-Cache-Control: none"));
  }

  @Test
  void targetedFieldsControlStoring() {
    assertEquals(
        StoreVerdict.STORE,
        Shelf.verdict(GET, 200, "Cache-Control: no-store", "CDN-Cache-Control: max-age=9"));
    assertEquals(
        StoreVerdict.NO_STORE,
        Shelf.verdict(GET, 200, "Cache-Control: max-age=9", "CDN-Cache-Control: no-store"));
    assertEquals(
        StoreVerdict.PRIVATE,
        Shelf.verdict(GET, 200, "Cache-Control: max-age=9", "CDN-Cache-Control: private"));
    assertEquals(
        StoreVerdict.NO_STORE,
        Shelf.verdict(GET, 200, "Cache-Control: no-store", "CDN-Cache-Control: max-age=9, &"));
  }

  @ParameterizedTest
  @CsvSource({"POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "BREW"})
  void responsesToOtherMethodsAreNotStored(String method) {
    RequestHead request = Heads.request(method + " / HTTP/1.1", "Host: a");
    assertEquals(
        StoreVerdict.METHOD, Shelf.verdict(request, 200, "Cache-Control: public, max-age=9"));
  }

  @Test
  void noStoreOfARequestForbidsStoring() {
    assertEquals(
        StoreVerdict.REQUEST_NO_STORE,
        Shelf.verdict(Heads.get("Cache-Control: no-store"), 200, "Cache-Control: max-age=9"));
  }

  @ParameterizedTest
  @CsvSource({
    "max-age=9, AUTHORIZATION",
    "'max-age=9, proxy-revalidate', AUTHORIZATION",
    "'max-age=9, public', STORE",
    "'max-age=9, must-revalidate', STORE",
    "s-maxage=9, STORE"
  })
  void authenticatedResponsesNeedPermission(String control, StoreVerdict verdict) {
    RequestHead request = Heads.get("Authorization: Basic eDp5");
    assertEquals(verdict, Shelf.verdict(request, 200, "Cache-Control: " + control));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "* | VARY_STAR",
        "*, * | VARY_STAR",
        ", * | VARY_STAR",
        "Foo, * | VARY_STAR",
        "*, Foo | VARY_STAR",
        "Foo Bar | VARY_SYNTAX",
        "a,b,c,d,e,f,g,h | STORE",
        "a,b,c,d,e,f,g,h,i | VARY_LIMIT"
      })
  void varyIsBounded(String vary, StoreVerdict verdict) {
    assertEquals(verdict, Shelf.verdict(GET, 200, "Cache-Control: max-age=9", "Vary: " + vary));
  }

  @Test
  void varyIsReadFromAllLinesAndItsValuesAreBounded() {
    assertEquals(
        StoreVerdict.VARY_STAR,
        Shelf.verdict(GET, 200, "Cache-Control: max-age=9", "Vary:", "Vary: *"));
    RequestHead large = Heads.get("Foo: " + "x".repeat(3000));
    assertEquals(
        StoreVerdict.VARY_LIMIT,
        Shelf.verdict(large, 200, "Cache-Control: max-age=9", "Vary: Foo"));
    assertEquals(StoreVerdict.STORE, Shelf.verdict(large, 200, "Cache-Control: max-age=9"));
  }

  @Test
  void partsNeedARangeAndItsUnit() {
    RequestHead range = Heads.get("Range: bytes=0-1");
    String control = "Cache-Control: max-age=9";
    String content = "Content-Range: bytes 0-1/10";
    String tag = "ETag: \"a\"";
    assertEquals(StoreVerdict.STORE_PART, Shelf.verdict(range, 206, control, content, tag));
    assertEquals(
        StoreVerdict.STORE_PART,
        Shelf.verdict(
            range, 206, control, content, Shelf.DATE, "Last-Modified: " + Shelf.date(-1)));
    assertEquals(StoreVerdict.PART_UNREQUESTED, Shelf.verdict(GET, 206, control, content, tag));
    assertEquals(StoreVerdict.PART_RANGE, Shelf.verdict(range, 206, control, tag));
    assertEquals(
        StoreVerdict.PART_LENGTH,
        Shelf.verdict(range, 206, control, content, tag, "Content-Length: 3"));
    assertEquals(
        StoreVerdict.PART_RANGE,
        Shelf.verdict(range, 206, control, tag, "Content-Range: lines 0-1/10"));
    assertEquals(
        StoreVerdict.PART_RANGE,
        Shelf.verdict(range, 206, control, tag, "Content-Type: multipart/byteranges; boundary=x"));
  }

  @Test
  void aPartWithoutAStrongValidatorIsStoredByItself() {
    RequestHead range = Heads.get("Range: bytes=0-1");
    assertEquals(
        StoreVerdict.STORE_PART,
        Shelf.verdict(
            range,
            206,
            "Cache-Control: max-age=9",
            "Content-Range: bytes 0-1/10",
            "ETag: W/\"a\""));
  }

  @Test
  void aContentRangeThatMeansNothingIsStoredLikeAnyField() {
    StoredResponse stored = Shelf.store("Cache-Control: max-age=9", "Content-Range: x");
    assertTrue(Shelf.head(stored).contains("\nContent-Range: x\n"));
  }

  @Test
  void aPartIsStoredAsAnIncomplete200() {
    StoredResponse stored =
        Shelf.store(
            Heads.get("Range: bytes=0-1"),
            206,
            "Cache-Control: max-age=9",
            "Content-Range: bytes 0-1/10",
            "Content-Length: 2",
            "ETag: \"a\"");
    assertEquals(200, stored.status());
    assertEquals(10, stored.length());
    assertFalse(Shelf.head(stored).contains("Content-"));
  }

  @Test
  void allFieldsAreStoredButThoseOfTheConnection() {
    StoredResponse stored =
        Shelf.store(
            "Cache-Control: max-age=9, private=\"Secret\", no-cache=\"Set-Cookie, other\"",
            "Set-Cookie: a=b",
            "Secret: 1",
            "OTHER: 2",
            "X-Unknown: kept",
            "Connection: x-hop, close",
            "X-Hop: 3",
            "Keep-Alive: 4",
            "TE: 5",
            "Trailer: 6",
            "Upgrade: 7",
            "Proxy-Connection: 8",
            "Proxy-Authenticate: 9",
            "Proxy-Authentication-Info: 10",
            "Proxy-Authorization: 11",
            "Age: 12",
            "Content-Length: 13",
            "x-unknown: kept too",
            "Server: s");
    assertEquals(
        "HTTP/1.1 200 \n"
            + Shelf.DATE
            + "\nCache-Control: max-age=9, private=\"Secret\", no-cache=\"Set-Cookie, other\"\n"
            + "X-Unknown: kept\nx-unknown: kept too\nServer: s\n\n",
        Shelf.head(stored));
    assertEquals(13, stored.length());
    assertEquals(12_000, stored.age(Shelf.NOW));
  }

  @Test
  void aResponseWithoutADateGetsOne() {
    Storing storing = new Storing(CacheSettings.EDGE, HeadLimits.USUAL);
    ResponseHead response = Heads.response(200, "Cache-Control: max-age=9");
    assertEquals(StoreVerdict.STORE, storing.decide(GET, response, Shelf.NOW));
    StoredResponse stored = storing.store(response, Shelf.NOW, Shelf.NOW);
    assertTrue(Shelf.head(stored).contains(Shelf.DATE));
  }

  @Test
  void aStoredHeadIsReadBackFromADisk() {
    StoredResponse stored =
        Shelf.store("Cache-Control: max-age=9, no-cache", "ETag: \"a\"", "Age: 3");
    StoredReader reader = new StoredReader(CacheSettings.EDGE, HeadLimits.USUAL);
    StoredResponse again =
        reader.read(
            stored.head().clone(),
            stored.key().clone(),
            7,
            stored.ageSeconds(),
            stored.requestTime(),
            stored.responseTime());
    assertNotNull(again);
    assertEquals(stored.lifetime(), again.lifetime());
    assertEquals(stored.age(Shelf.NOW + 5), again.age(Shelf.NOW + 5));
    assertTrue(again.needsValidation());
    assertTrue(again.hasStrongTag());
    for (int cut = 0; cut < stored.head().length; cut++) {
      assertNull(reader.read(Arrays.copyOf(stored.head(), cut), stored.key(), 7, 0, 0, 0));
    }
    byte[] longer = Arrays.copyOf(stored.head(), stored.head().length + 1);
    assertNull(reader.read(longer, stored.key(), 7, 0, 0, 0));
  }
}
