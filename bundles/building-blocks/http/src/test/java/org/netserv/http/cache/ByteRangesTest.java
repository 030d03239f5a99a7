// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.http.HeadWriter;
import org.netserv.http.Heads;
import org.netserv.http.HttpMethod;

/** Range requests (RFC 9110, 14). */
class ByteRangesTest {
  private final ByteRanges ranges = new ByteRanges(16);

  private ByteRanges.Verdict resolve(String value, long length) {
    return ranges.reset(HttpMethod.GET, Heads.get("Range: " + value).fields(), length);
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < ranges.count(); i++) {
      text.append(i == 0 ? "" : " ").append(ranges.first(i)).append('-').append(ranges.last(i));
    }
    return text.toString();
  }

  /** The examples of 14.1.2 and their relatives, for a representation of 10,000 bytes. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bytes=0-499 | SINGLE | 0-499",
        "bytes=500-999 | SINGLE | 500-999",
        "bytes=-500 | SINGLE | 9500-9999",
        "bytes=9500- | SINGLE | 9500-9999",
        "bytes=0-0,-1 | MULTIPART | 0-0 9999-9999",
        "bytes= 0-999, 4500-5499, -1000 | MULTIPART | 0-999 4500-5499 9000-9999",
        "bytes=500-600,601-999 | SINGLE | 500-999",
        "bytes=500-700,601-999 | SINGLE | 500-999",
        "BYTES=0-0 | SINGLE | 0-0",
        "bytes=0-99999 | SINGLE | 0-9999",
        "bytes=0-99999999999999999999999 | SINGLE | 0-9999",
        "bytes=-99999999999999999999999 | SINGLE | 0-9999",
        "bytes=9999- | SINGLE | 9999-9999",
        "bytes=,0-1,, | SINGLE | 0-1",
        "bytes=0-1,20000- | SINGLE | 0-1",
        "bytes=5000-5001,0-1 | MULTIPART | 5000-5001 0-1",
        "bytes=0-1,5000-5001,50-60 | MULTIPART | 0-60 5000-5001",
        "bytes=10000- | UNSATISFIABLE | ''",
        "bytes=10000-10001,-0 | UNSATISFIABLE | ''",
        "bytes=99999999999999999999999- | UNSATISFIABLE | ''",
        "bytes=-0 | UNSATISFIABLE | ''"
      })
  void rangesAreResolved(String value, ByteRanges.Verdict verdict, String expected) {
    assertEquals(verdict, resolve(value, 10_000));
    assertEquals(expected, text());
    assertEquals(ByteRanges.Reason.NONE, ranges.reason());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "lines=0-1 | UNIT",
        "bytes 0-1 | UNIT",
        "bytes | UNIT",
        "bytes= | SYNTAX",
        "bytes=, | SYNTAX",
        "bytes=- | SYNTAX",
        "bytes=5 | SYNTAX",
        "bytes=5-4 | SYNTAX",
        "bytes=a-b | SYNTAX",
        "bytes=0-1-2 | SYNTAX",
        "bytes=--1 | SYNTAX",
        "bytes=0 - 1 | SYNTAX",
        "bytes=+0-1 | SYNTAX",
        "bytes=0-1;x | SYNTAX",
        "bytes=0-1, x | SYNTAX"
      })
  void rangesThatAreNoneAreIgnored(String value, ByteRanges.Reason reason) {
    assertEquals(ByteRanges.Verdict.WHOLE, resolve(value, 10_000));
    assertEquals(reason, ranges.reason());
    assertEquals(0, ranges.count());
  }

  @Test
  void rangeBombsAreIgnored() {
    assertEquals(ByteRanges.Verdict.WHOLE, resolve("bytes=0-,0-,0-,0-", 10_000));
    assertEquals(ByteRanges.Reason.OVERLAP, ranges.reason());
    String many = "0-0,".repeat(17);
    assertEquals(ByteRanges.Verdict.WHOLE, resolve("bytes=" + many, 10_000));
    assertEquals(ByteRanges.Reason.TOO_MANY, ranges.reason());
    String disorder = "bytes=900-901,800-801,700-701,600-601,500-501";
    assertEquals(ByteRanges.Verdict.WHOLE, resolve(disorder, 10_000));
    assertEquals(ByteRanges.Reason.DISORDER, ranges.reason());
    assertEquals(ByteRanges.Verdict.SINGLE, resolve("bytes=0-5,3-9,7-8", 10_000));
    assertThrows(IllegalArgumentException.class, () -> new ByteRanges(0));
    assertThrows(IllegalArgumentException.class, () -> new ByteRanges(101));
  }

  @Test
  void rangeIsForGetAloneAndOnce() {
    var fields = Heads.get("Range: bytes=0-1").fields();
    for (HttpMethod method : HttpMethod.values()) {
      ByteRanges.Verdict verdict = ranges.reset(method, fields, 10);
      boolean get = method == HttpMethod.GET;
      assertEquals(get ? ByteRanges.Verdict.SINGLE : ByteRanges.Verdict.WHOLE, verdict);
    }
    var twice = Heads.get("Range: bytes=0-1", "Range: bytes=0-1").fields();
    assertEquals(ByteRanges.Verdict.WHOLE, ranges.reset(HttpMethod.GET, twice, 10));
    assertEquals(ByteRanges.Reason.REPEATED, ranges.reason());
    ranges.reset(HttpMethod.GET, Heads.get().fields(), 10);
    assertEquals(ByteRanges.Reason.ABSENT, ranges.reason());
  }

  @Test
  void withoutALengthTheWholeIsSent() {
    assertEquals(ByteRanges.Verdict.WHOLE, resolve("bytes=0-1", -1));
    assertEquals(ByteRanges.Verdict.WHOLE, resolve("bytes=-1", 0));
    assertEquals(ByteRanges.Reason.LENGTH, ranges.reason());
  }

  /** Whatever is asked for: the parts are disjoint, inside, and hold each byte asked for. */
  @Test
  void randomRangesAgainstASetOfBits() {
    Random random = new Random(9110);
    int resolved = 0;
    for (int round = 0; round < 50_000; round++) {
      int length = 1 + random.nextInt(2000);
      StringBuilder value = new StringBuilder("bytes=");
      BitSet asked = new BitSet();
      for (int i = random.nextInt(6); i >= 0; i--) {
        int from = random.nextInt(2 * length);
        int to = from + random.nextInt(300);
        if (from < length) {
          asked.set(from, Math.min(length, to + 1));
        }
        value.append(from).append('-').append(to).append(',');
      }
      ByteRanges.Verdict verdict = resolve(value.toString(), length);
      assertEquals(verdict == ByteRanges.Verdict.UNSATISFIABLE, asked.isEmpty());
      BitSet sent = new BitSet();
      for (int i = 0; i < ranges.count(); i++) {
        resolved++;
        int first = (int) ranges.first(i);
        int behind = (int) ranges.last(i) + 1;
        assertTrue(first < behind && behind <= length);
        assertTrue(sent.get(first, behind).isEmpty(), "a byte is sent twice");
        sent.set(first, behind);
      }
      asked.andNot(sent);
      assertTrue(asked.isEmpty() || verdict == ByteRanges.Verdict.WHOLE);
    }
    assertTrue(resolved > 50_000, "only " + resolved + " ranges were resolved");
  }

  @Test
  void mutantsNeverThrow() {
    Random random = new Random(14);
    byte[] marks = Heads.latin("-,=0199 b;*");
    for (int round = 0; round < 100_000; round++) {
      byte[] value = Heads.latin("bytes=0-499, 1000-, -500");
      for (int i = random.nextInt(4); i >= 0; i--) {
        value[random.nextInt(value.length)] = marks[random.nextInt(marks.length)];
      }
      resolve(new String(value, StandardCharsets.ISO_8859_1), random.nextInt(3000));
      for (int i = 0; i < ranges.count(); i++) {
        assertTrue(ranges.first(i) <= ranges.last(i));
      }
    }
  }

  @Test
  void theLengthOfAMultipartAnswerIsTheLengthOfItsPieces() {
    assertEquals(ByteRanges.Verdict.MULTIPART, resolve("bytes=0-4,1000-1004", 2000));
    MultipartRanges parts = new MultipartRanges("xyz");
    byte[] type = Heads.latin("text/plain");
    HeadWriter out = Shelf.writer();
    long expected = parts.length(out, ranges, 2000, type, 0, type.length);
    StringBuilder content = new StringBuilder();
    for (int place = 0; place < ranges.count(); place++) {
      parts.partHead(out.begin(), ranges, place, 2000, type, 0, type.length);
      content.append(Heads.text(out)).append("abcde");
    }
    parts.end(out.begin());
    content.append(Heads.text(out));
    assertEquals(
        """
        --xyz
        Content-Type: text/plain
        Content-Range: bytes 0-4/2000

        abcde
        --xyz
        Content-Type: text/plain
        Content-Range: bytes 1000-1004/2000

        abcde
        --xyz--
        """,
        content.toString());
    assertEquals(expected, content.toString().replace("\n", "\r\n").length());
    assertThrows(IllegalArgumentException.class, () -> new MultipartRanges("a b"));
    assertThrows(IllegalArgumentException.class, () -> new MultipartRanges("x".repeat(71)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bytes 42-1233/1234 | 42 | 1233 | 1234",
        "bytes 42-1233/* | 42 | 1233 | -1",
        "BYTES 0-0/1 | 0 | 0 | 1"
      })
  void contentRanges(String value, long first, long last, long complete) {
    ContentRange range = new ContentRange();
    assertTrue(range.reset(Heads.fields("Content-Range: " + value)));
    assertEquals(first, range.first());
    assertEquals(last, range.last());
    assertEquals(complete, range.complete());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bytes 5-4/10", "bytes 0-10/10", "bytes 0-9/9", "bytes */10", "lines 0-1/2", "bytes=0-1/2",
        "bytes 0-1", "bytes 0-1/", "bytes 0-/5", "bytes -1/5", "bytes 0-1/x", "bytes 0-1/**",
        "bytes", "bytes 0-99999999999999999999/*", "bytes a-b/c", "bytes  0-1/2", "bytes 0/1-2"
      })
  void contentRangesThatAreNone(String value) {
    ContentRange range = new ContentRange();
    assertEquals(false, range.reset(Heads.fields("Content-Range: " + value)));
    String sound = "Content-Range: bytes 0-1/2";
    assertEquals(false, range.reset(Heads.fields(sound, sound)));
  }
}
