// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.http.Field;
import org.netserv.http.Heads;
import org.netserv.http.HttpMethod;
import org.netserv.http.RequestHead;
import org.netserv.http.ResponseHead;

/** Slices of representations (RFC 9111, 3.3 and 3.4, RFC 9110, 14 and 15.3.7). */
class SlicesTest {
  private static final SliceGrid GRID = new SliceGrid(100);
  private static final StoredResponse TAGGED = Shelf.store("ETag: \"a\"").withLength(250);

  @ParameterizedTest
  @CsvSource({"0, 0, 0, 100", "99, 0, 0, 100", "100, 1, 100, 200", "249, 2, 200, 250"})
  void aByteIsInOneSlice(long offset, long index, long from, long to) {
    assertEquals(index, GRID.index(offset));
    assertEquals(new Slice(index, from, to), GRID.slice(index, 250));
  }

  @Test
  void slicesJoinWithoutGapsUpToTheLength() {
    Random random = new Random(5);
    for (int round = 0; round < 500; round++) {
      SliceGrid grid = new SliceGrid(1 + random.nextInt(300));
      long length = 1L + random.nextInt(2_000);
      long at = 0;
      for (long index = 0; at < length; index++) {
        Slice slice = grid.slice(index, length);
        assertEquals(at, slice.from());
        assertTrue(slice.length() > 0 && slice.length() <= grid.bytes());
        assertEquals(index, grid.index(slice.to() - 1));
        at = slice.to();
      }
      assertEquals(length, at);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, (1 << 30) + 1})
  void sizesAreBounded(int bytes) {
    assertThrows(IllegalArgumentException.class, () -> new SliceGrid(bytes));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                                          | 0",
        "bytes=0-                                  | 0",
        "bytes=350-360                             | 3",
        "bytes=350-                                | 3",
        "bytes=900-910, 120-130                    | 1",
        "bytes=-5                                  | 0",
        "bytes=350-, -5                            | 3",
        "bytes=350-360, -5                         | 0",
        "bytes=4611686018427387903-                | 0",
        "bytes=5-2                                 | 0",
        "lines=350-360                             | 0"
      })
  void theFirstSliceOfAnUnknownLengthIsTheFirstOneTouched(String range, long index) {
    RequestHead request = range == null ? Heads.get() : Heads.get("Range: " + range);
    Slice first = GRID.first(HttpMethod.GET, request.fields(), new ByteRanges(16));
    assertEquals(new Slice(index, index * 100, index * 100 + 100), first);
  }

  @Test
  void theOriginIsAskedForTheSliceAlone() {
    var out = Shelf.writer();
    GRID.slice(2, 250).write(out.begin());
    assertEquals("bytes=200-249", Shelf.value(out, Field.RANGE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "206 | Content-Range: bytes 100-199/250 | ETag: \"a\"      | 100 | SLICE",
        "206 | Content-Range: bytes 100-199/250 | ETag: \"a\"      |  -1 | SLICE",
        "206 | Content-Range: bytes 100-149/150 | ETag: \"a\"      |  50 | SLICE",
        "206 | Content-Range: bytes 100-199/250 | ETag: W/\"a\"    | 100 | VALIDATOR",
        "206 | Content-Range: bytes 100-199/250 | X: y             | 100 | VALIDATOR",
        "206 | Content-Range: bytes 100-199/250 | ETag: \"a\"      |  99 | LENGTH",
        "206 | Content-Range: bytes 100-198/250 | ETag: \"a\"      |  99 | RANGE",
        "206 | Content-Range: bytes 101-199/250 | ETag: \"a\"      |  99 | RANGE",
        "206 | Content-Range: bytes 0-99/250    | ETag: \"a\"      | 100 | RANGE",
        "206 | Content-Range: bytes 100-200/250 | ETag: \"a\"      | 101 | RANGE",
        "206 | Content-Range: bytes 100-199/*   | ETag: \"a\"      | 100 | COMPLETE",
        "206 | Content-Range: bytes 100-199/150 | ETag: \"a\"      | 100 | RANGE",
        "206 | Content-Range: lines 100-199/250 | ETag: \"a\"      | 100 | RANGE",
        "206 | X: y                             | ETag: \"a\"      | 100 | RANGE",
        "200 | X: y                             | ETag: \"a\"      | 250 | OTHER_STATUS",
        "503 | X: y                             | X: y             |   0 | OTHER_STATUS"
      })
  void theFirstSliceIsExactlyTheOneAskedFor(
      int status, String range, String tag, long length, SliceVerdict expected) {
    ResponseHead response = response(status, range, tag, length);
    StoredResponse made = Shelf.store(tag, "Cache-Control: max-age=9").withLength(250);
    Slice asked = GRID.slice(1, -1);
    assertEquals(expected, SliceVerdict.first(asked, made, response, new ContentRange()));
  }

  private static ResponseHead response(int status, String range, String tag, long length) {
    return length < 0
        ? Heads.response(status, range, tag)
        : Heads.response(status, range, tag, "Content-Length: " + length);
  }

  @Test
  void aSliceThatIsAllNeedsNoValidator() {
    ResponseHead response = Heads.response(206, "Content-Range: bytes 0-49/50");
    StoredResponse made = Shelf.store("Cache-Control: max-age=9").withLength(50);
    Slice asked = GRID.slice(0, -1);
    assertEquals(SliceVerdict.ALL, SliceVerdict.first(asked, made, response, new ContentRange()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "206 | Content-Range: bytes 200-249/250 | ETag: \"a\"   | 50 | SLICE",
        "206 | Content-Range: bytes 200-249/*   | ETag: \"a\"   | -1 | SLICE",
        "206 | Content-Range: bytes 200-249/250 | ETag: \"b\"   | 50 | CHANGED",
        "206 | Content-Range: bytes 200-249/250 | ETag: W/\"a\" | 50 | CHANGED",
        "206 | Content-Range: bytes 200-299/300 | ETag: \"b\"   | -1 | CHANGED",
        "206 | Content-Range: bytes 200-249/250 | X: y          | 50 | VALIDATOR",
        "206 | Content-Range: bytes 200-249/251 | ETag: \"a\"   | 50 | COMPLETE",
        "206 | Content-Range: bytes 200-248/250 | ETag: \"a\"   | 49 | RANGE",
        "206 | Content-Range: bytes 0-49/250    | ETag: \"a\"   | 50 | RANGE",
        "206 | X: y                             | ETag: \"a\"   | 50 | RANGE",
        "206 | Content-Range: bytes 200-249/250 | ETag: \"a\"   | 51 | LENGTH",
        "200 | X: y                             | ETag: \"a\"   | -1 | CHANGED",
        "404 | X: y                             | X: y          |  0 | CHANGED",
        "412 | X: y                             | X: y          |  0 | CHANGED",
        "416 | Content-Range: bytes */100       | X: y          |  0 | CHANGED",
        "304 | X: y                             | ETag: \"a\"   | -1 | OTHER_STATUS",
        "503 | X: y                             | X: y          |  0 | OTHER_STATUS"
      })
  void laterSlicesHaveTheSameStrongValidatorAndLength(
      int status, String range, String tag, long length, SliceVerdict expected) {
    ResponseHead response = response(status, range, tag, length);
    Slice asked = GRID.slice(2, 250);
    assertEquals(
        expected, SliceVerdict.next(asked, TAGGED, response, new ContentRange(), Shelf.NOW));
  }

  @ParameterizedTest
  @CsvSource({"-9, -9, SLICE", "-9, -8, CHANGED", "0, 0, CHANGED"})
  void lastModifiedHasToBeStrong(int stored, int later, SliceVerdict expected) {
    StoredResponse object =
        Shelf.store("Last-Modified: " + Shelf.date(stored), "Cache-Control: max-age=9")
            .withLength(250);
    assertEquals(stored < 0, object.hasStrongValidator());
    ResponseHead response =
        Heads.response(
            206,
            "Content-Range: bytes 200-249/250",
            "Last-Modified: " + Shelf.date(later),
            Shelf.DATE);
    Slice asked = GRID.slice(2, 250);
    assertEquals(
        expected, SliceVerdict.next(asked, object, response, new ContentRange(), Shelf.NOW));
  }

  @Test
  void storedPartsAreOfOneRepresentationByTheStrongValidatorAndTheLength() {
    assertTrue(Combining.areParts(TAGGED, Shelf.store("ETag: \"a\"").withLength(250)));
    assertFalse(Combining.areParts(TAGGED, Shelf.store("ETag: \"a\"").withLength(251)));
    assertFalse(Combining.areParts(TAGGED, Shelf.store("ETag: \"b\"").withLength(250)));
    StoredResponse dated = Shelf.store("Last-Modified: " + Shelf.date(-9)).withLength(250);
    assertFalse(Combining.areParts(TAGGED, dated));
    assertTrue(Combining.areParts(dated, dated));
    StoredResponse weak = Shelf.store("ETag: W/\"a\"").withLength(250);
    assertFalse(Combining.areParts(weak, weak));
    assertFalse(weak.hasStrongValidator());
    StoredResponse unknown = Shelf.store("ETag: \"a\"").withLength(-1);
    assertFalse(Combining.areParts(unknown, unknown));
  }

  @Test
  void theRangeOfASliceIsTheCachesOwn() {
    Storing storing = new Storing(CacheSettings.EDGE, org.netserv.http.HeadLimits.USUAL);
    ResponseHead part =
        Heads.response(206, "Content-Range: bytes 0-99/250", "ETag: \"a\"", Shelf.DATE);
    assertEquals(StoreVerdict.PART_UNREQUESTED, storing.decide(Heads.get(), part, Shelf.NOW));
    assertEquals(StoreVerdict.STORE_PART, storing.decideSlice(Heads.get(), part, Shelf.NOW));
    StoredResponse stored = storing.store(part, Shelf.NOW, Shelf.NOW);
    assertEquals(200, stored.status());
    assertEquals(250, stored.length());
    ResponseHead secret =
        Heads.response(206, "Content-Range: bytes 0-9/250", "Cache-Control: no-store");
    assertEquals(StoreVerdict.NO_STORE, storing.decideSlice(Heads.get(), secret, Shelf.NOW));
  }
}
