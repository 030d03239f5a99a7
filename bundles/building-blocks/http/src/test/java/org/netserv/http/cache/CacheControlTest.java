// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.http.FieldSection;
import org.netserv.http.Heads;

class CacheControlTest {
  private final CacheControl control = new CacheControl();

  private CacheControl read(String... lines) {
    return control.reset(Heads.fields(lines));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "max-age=60 | 60",
        "MaX-aGe=60 | 60",
        "max-age=\"60\" | 60",
        "max-age=0060 | 60",
        "x, max-age=60, y | 60",
        "x=\"max-age=1\", max-age=60 | 60",
        "max-age=60, x=\"max-age=1\" | 60",
        "max-age=60, max-age=1 | 60",
        "max-age=2147483647 | 2147483647",
        "max-age=2147483648 | 2147483648",
        "max-age=99999999999999999999 | 2147483648",
        "max-age | -2",
        "max-age= | -2",
        "max-age=a | -2",
        "max-age=60a | -2",
        "max-age=-60 | -2",
        "max-age=60.0 | -2",
        "max-age='60' | -2",
        "max-age =60 | -2",
        "max-age= 60 | -2",
        "max-age=\"60 | -2",
        "max-age=\"\" | -2",
        "x-max-age=60 | -1",
        "x=\"max-age=60\" | -1",
        "x=\"a\\\",max-age=60\" | -1",
        "max-agex=60 | -1"
      })
  void secondsOfMaxAge(String value, long seconds) {
    assertEquals(seconds, read("Cache-Control: " + value).seconds(Directive.MAX_AGE));
  }

  @Test
  void directivesOfAllLinesCount() {
    read("Cache-Control: no-store", "X: y", "cache-control: ,, MUST-revalidate ,");
    assertTrue(control.has(Directive.NO_STORE));
    assertTrue(control.has(Directive.MUST_REVALIDATE));
    assertFalse(control.has(Directive.PUBLIC));
    assertEquals(CacheControl.ABSENT, control.seconds(Directive.S_MAXAGE));
    assertFalse(read("X: no-store").has(Directive.NO_STORE));
  }

  @Test
  void unknownDirectivesAreIgnored() {
    read("Cache-Control: community=\"UCI\", nonstore, no-store2, =, \"no-store\", private");
    assertFalse(control.has(Directive.NO_STORE));
    assertTrue(control.isPrivate());
  }

  @Test
  void maxStaleMayHaveNoArgument() {
    assertEquals(
        CacheControl.MOST_SECONDS, Shelf.directives("max-stale").seconds(Directive.MAX_STALE));
    assertEquals(5, Shelf.directives("max-stale=5").seconds(Directive.MAX_STALE));
    assertEquals(
        CacheControl.INVALID, Shelf.directives("max-stale=x").seconds(Directive.MAX_STALE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "private | true | false",
        "private=\"A, b\" | false | true",
        "private=a | false | true",
        "private=\"\" | true | false",
        "private=\"a b\" | true | false",
        "private=\"a | true | false",
        "private=\"a\", private | true | false",
        "private=\"a\", private=\"b\" | true | false",
        "no-cache=\"a\" | false | true",
        "no-cache, private=\"x\" | false | false"
      })
  void qualifiedNamesConcernTheirFieldsOnly(String value, boolean whole, boolean lists) {
    FieldSection fields = Heads.fields("Cache-Control: " + value, "A: 1");
    control.reset(fields);
    assertEquals(whole, control.isPrivate());
    assertEquals(lists, control.lists(fields, 1));
    assertFalse(control.lists(fields, 0));
  }

  @Test
  void mutantsNeverThrow() {
    Random random = new Random(9111);
    byte[] marks = Heads.latin("=\",; \\a1-");
    FieldSection fields = new FieldSection(10);
    int read = 0;
    for (int round = 0; round < 100_000; round++) {
      byte[] bytes =
          Heads.bytes("Cache-Control: private=\"a, b\", max-age=60, no-cache=\"c\", x=\"y\\\"z\"");
      for (int i = random.nextInt(4); i >= 0; i--) {
        bytes[15 + random.nextInt(bytes.length - 19)] = marks[random.nextInt(marks.length)];
      }
      fields.reset(bytes, 0, bytes.length);
      control.reset(fields);
      read += control.seconds(Directive.MAX_AGE) == 60 ? 1 : 0;
      assertTrue(control.seconds(Directive.MAX_AGE) >= CacheControl.INVALID);
      control.lists(fields, 0);
    }
    assertTrue(read > 10_000, "max-age was found " + read + " times");
  }

  // RFC 9213

  private static Policy policy(List<String> targets, String... fields) {
    CacheSettings settings = new CacheSettings(targets, 10, 100, 0, true, 0, 8, 1000);
    return new Policy(settings).reset(Heads.fields(fields));
  }

  @Test
  void theFirstTargetedFieldOfTheListControls() {
    String[] fields = {
      "Cache-Control: no-store", "CDN-Cache-Control: max-age=2", "My-Cache-Control: max-age=3"
    };
    Policy mine = policy(List.of("My-Cache-Control", "cdn-cache-control"), fields);
    assertEquals(3, mine.directives().seconds(Directive.MAX_AGE));
    assertTrue(mine.isTargeted());
    assertFalse(mine.directives().has(Directive.NO_STORE));
    Policy cdn = policy(List.of("cdn-cache-control"), fields);
    assertEquals(2, cdn.directives().seconds(Directive.MAX_AGE));
    Policy none = policy(List.of(), fields);
    assertTrue(none.directives().has(Directive.NO_STORE));
    assertFalse(none.isTargeted());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`` | false | 1",
        "max-age=2, &&& | false | 1",
        "Max-Age=2 | false | 1",
        "max-age =2 | false | 1",
        "max-age= 2 | false | 1",
        "max-age=2, | false | 1",
        "none | true | -1",
        "max-age=2 | true | 2",
        "max-age=2;x=y | true | 2",
        "max-age=1, max-age=2 | true | 2",
        "max-age=99999999999 | true | 2147483648",
        "max-age=\"2\" | true | -2",
        "max-age=2.5 | true | -2",
        "max-age=-2 | true | -2",
        "max-age=(2) | true | -2",
        "max-age | true | -2",
        "foo, max-age=2, bar=\"x\" | true | 2"
      })
  void aTargetedFieldIsADictionaryOrIsIgnored(String value, boolean targeted, long seconds) {
    Policy policy =
        policy(
            List.of("CDN-Cache-Control"),
            "Cache-Control: max-age=1",
            "CDN-Cache-Control: " + value);
    assertEquals(targeted, policy.isTargeted());
    assertEquals(seconds, policy.directives().seconds(Directive.MAX_AGE));
  }

  @Test
  void directivesOfATargetedFieldHaveTheSameMeaning() {
    Policy policy =
        policy(
            List.of("CDN-Cache-Control"),
            "CDN-Cache-Control: must-revalidate, no-store, no-cache, private=\"a\", s-maxage=5",
            "CDN-Cache-Control: stale-if-error=6, public=?0, max-stale");
    CacheControl directives = policy.directives();
    assertTrue(directives.has(Directive.MUST_REVALIDATE));
    assertTrue(directives.has(Directive.NO_STORE));
    assertTrue(directives.isNoCache());
    assertFalse(directives.isPrivate());
    assertTrue(directives.lists(Heads.fields("A: b"), 0));
    assertEquals(5, directives.seconds(Directive.S_MAXAGE));
    assertEquals(6, directives.seconds(Directive.STALE_IF_ERROR));
    assertFalse(directives.has(Directive.PUBLIC));
    assertEquals(CacheControl.MOST_SECONDS, directives.seconds(Directive.MAX_STALE));
  }

  @Test
  void targetedFieldsOffTheListChangeNothing() {
    Policy policy =
        policy(
            List.of("cdn-cache-control"), "Cache-Control: max-age=1", "X-Cache-Control: no-store");
    assertEquals(1, policy.directives().seconds(Directive.MAX_AGE));
    assertFalse(policy.directives().has(Directive.NO_STORE));
  }
}
