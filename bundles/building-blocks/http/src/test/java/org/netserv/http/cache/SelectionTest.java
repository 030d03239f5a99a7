// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.http.Heads;
import org.netserv.http.RequestHead;

/** Primary and secondary keys, and the choice among variants. */
class SelectionTest {
  private final SecondaryKey matcher = new SecondaryKey(CacheSettings.EDGE);

  private static StoredResponse variant(String vary, String date, String... request) {
    return Shelf.store(
        Heads.get(request), 200, "Cache-Control: max-age=9", "Vary: " + vary, "Date: " + date);
  }

  private boolean matches(String vary, String stored, String presented) {
    String[] first = stored == null ? new String[0] : stored.split("\\|", -1);
    String[] second = presented == null ? new String[0] : presented.split("\\|", -1);
    StoredResponse response = variant(vary, Shelf.date(0), first);
    return matcher.matches(response.key(), Heads.get(second).fields());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "Foo; Foo: 1; Foo: 1; true",
        "foo; FOO: 1; Foo:   1; true",
        "Foo; Foo: 1; Foo: 2; false",
        "Foo; Foo: 1; ; false",
        "Foo; ; Foo: 1; false",
        "Foo; ; Foo:; false",
        "Foo; ; ; true",
        "Foo; Foo: 1; Foo: 1|Bar: 2; true",
        "Foo, Bar; Foo: 1|Bar: 2; Bar: 2|Foo: 1; true",
        "Foo, Bar; Foo: 1|Bar: 2; Foo: 1; false",
        "Foo, Bar; Foo: 12|Bar: 3; Foo: 1|Bar: 23; false",
        "Foo; Foo: 1, 2; Foo: 1|Foo: 2; true",
        "Foo; Foo: 1, 2; Foo: 1 ,\t2; true",
        "Foo; Foo: 1, 2; Foo: 2, 1; false",
        "Foo; Foo: \"1, 2\"; Foo: \"1,2\"; false",
        "Foo; Foo: a; Foo: A; false",
        "Accept-Language; Accept-Language: en, DE; Accept-Language: EN,de; true",
        "Accept-Encoding; Accept-Encoding: gzip; Accept-Encoding: GZIP; true",
        "User-Agent; User-Agent: x (a, b); User-Agent: x (a,b); false",
        "Cookie; Cookie: a=b; Cookie: a=b; true"
      })
  void nominatedFieldsHaveToMatch(String vary, String stored, String presented, boolean expected) {
    assertEquals(expected, matches(vary, stored, presented));
  }

  @Test
  void fieldsThatVaryDoesNotNominateAreNoPartOfTheKey() {
    assertEquals(0, Shelf.store(Heads.get("Foo: 1"), 200, "Cache-Control: max-age=9").key().length);
  }

  @Test
  void theKeyCanBeSentAgain() {
    StoredResponse stored =
        variant(
            "Foo, Bar, Accept-Language", Shelf.date(0), "Foo: 1", "Foo: 2", "Accept-Language: DE");
    var out = Shelf.writer().begin();
    SecondaryKey.write(stored.key(), out);
    assertEquals("foo: 1,2\naccept-language: de\n", Heads.text(out));
    assertTrue(out.fits());
  }

  @Test
  void theMostRecentMatchIsChosen() {
    StoredResponse old = variant("Foo", Shelf.date(-9), "Foo: 1");
    StoredResponse recent = variant("Foo", Shelf.date(-5), "Foo: 1");
    StoredResponse other = variant("Foo", Shelf.date(0), "Foo: 2");
    List<StoredResponse> all = List.of(old, recent, other);
    assertEquals(1, Selection.choose(all, Heads.get("Foo: 1").fields(), matcher));
    assertEquals(2, Selection.choose(all, Heads.get("Foo: 2").fields(), matcher));
    assertEquals(Selection.VARY_MISS, Selection.choose(all, Heads.get("Foo: 3").fields(), matcher));
    assertEquals(Selection.URI_MISS, Selection.choose(List.of(), Heads.get().fields(), matcher));
  }

  @Test
  void aResponseWithVaryGoesBeforeALaterOneWithout() {
    StoredResponse plain = Shelf.store("Cache-Control: max-age=9");
    StoredResponse varied = variant("Foo", Shelf.date(-5), "Foo: 1");
    List<StoredResponse> all = List.of(plain, varied);
    assertEquals(1, Selection.choose(all, Heads.get("Foo: 1").fields(), matcher));
    assertEquals(0, Selection.choose(all, Heads.get("Foo: 2").fields(), matcher));
  }

  @ParameterizedTest
  @CsvSource({
    "GET /a?b HTTP/1.1, EXAMPLE.org, false, http://example.org/a?b",
    "GET /a?b HTTP/1.1, example.org:80, false, http://example.org/a?b",
    "GET /a?b HTTP/1.1, example.org:, false, http://example.org/a?b",
    "GET /a?b HTTP/1.1, example.org:80, true, https://example.org:80/a?b",
    "GET /a?b HTTP/1.1, example.org:443, true, https://example.org/a?b",
    "GET /a?b HTTP/1.1, example.org:443, false, http://example.org:443/a?b",
    "GET http://EXAMPLE.org HTTP/1.1, x, true, http://example.org/",
    "GET https://example.org?b HTTP/1.1, x, false, https://example.org/?b",
    "GET /A%2f HTTP/1.1, [::1]:80, false, http://[::1]/A%2f",
    "GET /A%2F HTTP/1.1, 127.0.0.1, false, http://127.0.0.1/A%2F"
  })
  void theTargetUriIsTheKey(String line, String host, boolean secure, String key) {
    RequestHead request = Heads.request(line, "Host: " + host);
    CacheKey written = new CacheKey().reset(request, secure);
    assertEquals(key, written.text());
    assertEquals(key.length(), written.copy().length);
  }

  @Test
  void longTargetsHaveKeysAndDifferentQueriesHaveDifferentOnes() {
    CacheKey key = new CacheKey();
    String path = "/" + "x".repeat(5000);
    String first = key.reset(Heads.request("GET " + path + "?a HTTP/1.1", "Host: a"), false).text();
    assertEquals("http://a" + path + "?a", first);
    String second =
        key.reset(Heads.request("GET " + path + "?b HTTP/1.1", "Host: a"), false).text();
    assertFalse(first.equals(second));
  }
}
