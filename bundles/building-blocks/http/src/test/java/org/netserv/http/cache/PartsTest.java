// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.http.Heads;
import org.netserv.http.HttpMethod;

/** Incomplete responses and their parts (RFC 9111, 3.3 and 3.4, RFC 9110, 15.3.7.3). */
class PartsTest {
  private static final StoredResponse TAGGED = Shelf.store("ETag: \"a\"").withLength(100);
  private static final StoredResponse DATED =
      Shelf.store("Last-Modified: " + Shelf.date(-9)).withLength(100);
  private static final StoredResponse WEAK = Shelf.store("ETag: W/\"a\"").withLength(100);

  private static Combining combine(StoredResponse stored, int status, String... fields) {
    return Combining.decide(stored, Heads.response(status, fields), new ContentRange(), Shelf.NOW);
  }

  @Test
  void partsCombineByTheSameStrongValidator() {
    String range = "Content-Range: bytes 10-19/100";
    assertEquals(Combining.COMBINE, combine(TAGGED, 206, range, "ETag: \"a\""));
    assertEquals(
        Combining.COMBINE, combine(TAGGED, 206, range, "ETag: \"a\"", "Content-Length: 10"));
    assertEquals(Combining.VALIDATOR, combine(TAGGED, 206, range, "ETag: \"b\""));
    assertEquals(Combining.VALIDATOR, combine(TAGGED, 206, range, "ETag: W/\"a\""));
    assertEquals(Combining.VALIDATOR, combine(WEAK, 206, range, "ETag: W/\"a\""));
    assertEquals(Combining.VALIDATOR, combine(TAGGED, 206, range));
    String modified = "Last-Modified: " + Shelf.date(-9);
    assertEquals(Combining.COMBINE, combine(DATED, 206, range, modified, Shelf.DATE));
    assertEquals(Combining.VALIDATOR, combine(DATED, 206, range, modified, "ETag: \"a\""));
    assertEquals(
        Combining.VALIDATOR,
        combine(DATED, 206, range, "Last-Modified: " + Shelf.date(-8), Shelf.DATE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Content-Range: lines 10-19/100 | CONTENT_RANGE",
        "Content-Range: bytes 19-10/100 | CONTENT_RANGE",
        "Content-Range: bytes 10-100/100 | CONTENT_RANGE",
        "X: y | CONTENT_RANGE",
        "Content-Range: bytes 10-19/101 | LENGTH",
        "Content-Range: bytes 10-100/* | LENGTH",
        "Content-Range: bytes 10-19/* | COMBINE"
      })
  void partsOfAnotherRangeDoNotCombine(String field, Combining expected) {
    assertEquals(expected, combine(TAGGED, 206, field, "ETag: \"a\""));
  }

  @Test
  void aLyingLengthDoesNotCombine() {
    assertEquals(
        Combining.LENGTH,
        combine(
            TAGGED, 206, "Content-Range: bytes 10-19/100", "ETag: \"a\"", "Content-Length: 11"));
  }

  @Test
  void aWholeResponseReplaces() {
    assertEquals(Combining.REPLACE, combine(TAGGED, 200, "ETag: \"b\""));
    assertEquals(Combining.OTHER_STATUS, combine(TAGGED, 416));
    assertEquals(Combining.OTHER_STATUS, combine(TAGGED, 503));
  }

  @Test
  void anIncompleteResponseAnswersOnlyRangesThatAreStored() {
    Extents extents = new Extents(8);
    extents.add(0, 50);
    extents.add(60, 100);
    ByteRanges ranges = new ByteRanges(16);
    for (String[] row :
        new String[][] {
          {"bytes=0-49", "true"}, {"bytes=60-", "true"}, {"bytes=-40", "true"},
          {"bytes=0-50", "false"}, {"bytes=-41", "false"}, {"bytes=100-", "true"},
          {"bytes=0-", "false"}, {"lines=0-1", "false"}
        }) {
      ByteRanges.Verdict verdict =
          ranges.reset(HttpMethod.GET, Heads.get("Range: " + row[0]).fields(), 100);
      boolean answers = Combining.answers(extents, 100, verdict, ranges);
      assertEquals(Boolean.parseBoolean(row[1]), answers, row[0]);
    }
    assertFalse(Combining.answers(extents, 100, ByteRanges.Verdict.WHOLE, ranges));
    extents.add(50, 60);
    assertTrue(Combining.answers(extents, 100, ByteRanges.Verdict.WHOLE, ranges));
    assertFalse(Combining.answers(extents, -1, ByteRanges.Verdict.WHOLE, ranges));
  }

  @Test
  void extentsAgainstASetOfBits() {
    Random random = new Random(33);
    for (int round = 0; round < 2_000; round++) {
      Extents extents = new Extents(6);
      BitSet bits = new BitSet();
      for (int i = 0; i < 20; i++) {
        int from = random.nextInt(100);
        int to = from + random.nextInt(15);
        if (extents.add(from, to)) {
          bits.set(from, to);
        }
        int low = random.nextInt(110);
        int high = low + random.nextInt(20);
        int gap = Math.min(high, bits.nextClearBit(low));
        assertEquals(gap, extents.gap(low, high));
        assertEquals(gap == high, extents.covers(low, high));
        if (gap < high) {
          int next = bits.nextSetBit(gap);
          assertEquals(next < 0 ? high : Math.min(high, next), extents.gapEnd(gap, high));
        }
        assertEquals(bits.cardinality(), extents.size());
        assertTrue(extents.count() <= 6);
      }
    }
  }

  @Test
  void extentsAreBounded() {
    Extents extents = new Extents(2);
    assertTrue(extents.add(0, 1));
    assertTrue(extents.add(2, 3));
    assertFalse(extents.add(4, 5));
    assertTrue(extents.add(3, 5));
    assertTrue(extents.add(1, 2));
    assertEquals(1, extents.count());
    assertFalse(extents.add(5, 5));
    assertFalse(extents.add(-1, 5));
    assertEquals(5, extents.size());
  }
}
