// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.http.Field;
import org.netserv.http.HeadError;
import org.netserv.http.HeadLimits;
import org.netserv.http.HeadWriter;
import org.netserv.http.Heads;
import org.netserv.http.HttpMethod;
import org.netserv.http.ResponseHead;
import org.netserv.http.structured.StructuredException;
import org.netserv.http.structured.StructuredParser;

/** The heads that a cache sends, and Cache-Status (RFC 9211). */
class AnswersTest {
  private static final StoredResponse STORED =
      Shelf.store(
              "Cache-Control: max-age=60",
              "ETag: \"a\"",
              "Content-Type: text/plain",
              "Last-Modified: " + Shelf.date(-9),
              "Cache-Status: origin; hit",
              "Age: 5",
              "X: y")
          .withLength(2000);

  private final Answers answers = new Answers();
  private final HeadWriter out = Shelf.writer();
  private final ByteRanges ranges = new ByteRanges(16);

  private void resolve(String range) {
    ranges.reset(HttpMethod.GET, Heads.get("Range: " + range).fields(), STORED.length());
  }

  @Test
  void theStoredResponseIsSentWithItsAge() {
    answers.full(out, STORED, Shelf.NOW + 2_999);
    out.end();
    assertEquals(
        "HTTP/1.1 200 \n"
            + Shelf.DATE
            + "\nCache-Control: max-age=60\nETag: \"a\"\nContent-Type: text/plain\nLast-Modified: "
            + Shelf.date(-9)
            + "\nCache-Status: origin; hit\nX: y\nContent-Length: 2000\nAge: 7\n\n",
        Heads.text(out));
  }

  @Test
  void anUnknownLengthIsNotWrittenAndAHugeAgeIsCapped() {
    answers.full(out, STORED.withLength(-1), Long.MAX_VALUE / 2);
    assertFalse(Heads.text(out).contains("Content-Length"));
    assertEquals("2147483648", Shelf.value(out, Field.AGE));
  }

  @Test
  void a304HasTheFieldsThatUpdateACache() {
    answers.notModified(out, STORED, Shelf.NOW);
    assertEquals(
        "HTTP/1.1 304 \n"
            + Shelf.DATE
            + "\nCache-Control: max-age=60\nETag: \"a\"\nCache-Status: origin; hit\nAge: 5\n",
        Heads.text(out));
    answers.notModified(out, Shelf.store("Last-Modified: " + Shelf.date(-9)), Shelf.NOW);
    assertEquals(Shelf.date(-9), Shelf.value(out, Field.LAST_MODIFIED));
  }

  @Test
  void aPartHasItsRangeAndAllFields() {
    resolve("bytes=10-19");
    answers.part(out, STORED, ranges, false, Shelf.NOW);
    assertTrue(Heads.text(out).startsWith("HTTP/1.1 206 \n"));
    assertEquals("bytes 10-19/2000", Shelf.value(out, Field.CONTENT_RANGE));
    assertEquals("10", Shelf.value(out, Field.CONTENT_LENGTH));
    assertEquals("text/plain", Shelf.value(out, Field.CONTENT_TYPE));
    assertTrue(Heads.text(out).contains("\nX: y\n"));
  }

  @Test
  void aPartForIfRangeHasTheRequiredFieldsOnly() {
    resolve("bytes=10-19");
    answers.part(out, STORED, ranges, true, Shelf.NOW);
    assertEquals(
        "HTTP/1.1 206 \n"
            + Shelf.DATE
            + "\nCache-Control: max-age=60\nETag: \"a\"\nCache-Status: origin; hit\n"
            + "Content-Range: bytes 10-19/2000\nContent-Length: 10\nAge: 5\n",
        Heads.text(out));
  }

  @Test
  void severalPartsHaveNoRangeInTheHead() {
    resolve("bytes=0-4,1000-1004");
    MultipartRanges parts = new MultipartRanges("xyz");
    int type = answers.contentType(STORED);
    byte[] bytes = answers.fields().bytes();
    int start = answers.fields().valueStart(type);
    int end = answers.fields().valueEnd(type);
    long length = parts.length(out, ranges, STORED.length(), bytes, start, end);
    answers.multipart(out, STORED, parts, length, false, Shelf.NOW);
    assertEquals("multipart/byteranges; boundary=xyz", Shelf.value(out, Field.CONTENT_TYPE));
    assertFalse(Heads.text(out).contains("text/plain"));
    assertFalse(Heads.text(out).contains("Content-Range"));
    assertEquals(Long.toString(length), Shelf.value(out, Field.CONTENT_LENGTH));
    answers.multipart(out, STORED, parts, length, true, Shelf.NOW);
    assertFalse(Heads.text(out).contains("X: y"));
  }

  @Test
  void a416NamesTheLength() {
    answers.unsatisfiable(out, STORED, Shelf.NOW);
    assertEquals("bytes */2000", Shelf.value(out, Field.CONTENT_RANGE));
    assertTrue(Heads.text(out).startsWith("HTTP/1.1 416 \n"));
  }

  // RFC 9211

  private String written(CacheStatus status) {
    status.write(out.begin());
    assertTrue(out.fits());
    return Shelf.value(out, Field.CACHE_STATUS);
  }

  @Test
  void membersOfCacheStatus() {
    CacheStatus status = new CacheStatus("edge");
    assertEquals("edge; hit", written(status.hit()));
    assertEquals("edge; hit; ttl=376", written(status.hit().ttl(376_999)));
    assertEquals("edge; hit; ttl=-412", written(status.hit().ttl(-411_001)));
    assertEquals("edge; fwd=uri-miss", written(status.forward(CacheStatus.Forward.URI_MISS)));
    assertEquals(
        "edge; fwd=stale; fwd-status=304",
        written(status.forward(CacheStatus.Forward.STALE).forwardStatus(304)));
    assertEquals(
        "edge; fwd=uri-miss; stored; collapsed",
        written(status.forward(CacheStatus.Forward.URI_MISS).stored().collapsed(true)));
    assertEquals(
        "edge; fwd=uri-miss; collapsed=?0; detail=DISK",
        written(status.forward(CacheStatus.Forward.URI_MISS).collapsed(false).detail("DISK")));
    assertEquals("edge", written(status));
  }

  @Test
  void hitAndForwardExcludeEachOther() {
    CacheStatus status = new CacheStatus("edge").hit().forward(CacheStatus.Forward.PARTIAL);
    assertEquals("edge; fwd=partial", written(status));
  }

  @Test
  void whatBelongsToAForwardIsNotSaidOfAHit() {
    assertEquals("edge; hit", written(new CacheStatus("edge").hit().forwardStatus(304).stored()));
  }

  @Test
  void theNameIsATokenOrAString() {
    assertEquals("\"CDN Company Here\"", written(new CacheStatus("CDN Company Here")));
    assertEquals("\"2\\\"\"", written(new CacheStatus("2\"")));
    assertThrows(IllegalArgumentException.class, () -> new CacheStatus("\u00fc"));
  }

  @ParameterizedTest
  @CsvSource({"VALIDATE_FOR_REQUEST, REQUEST", "VALIDATE, STALE"})
  void theMostSpecificReasonIsNamed(Reuse reuse, CacheStatus.Forward forward) {
    assertEquals(forward, CacheStatus.Forward.of(reuse));
    assertEquals(CacheStatus.Forward.URI_MISS, CacheStatus.Forward.ofMiss(Selection.URI_MISS));
    assertEquals(CacheStatus.Forward.VARY_MISS, CacheStatus.Forward.ofMiss(Selection.VARY_MISS));
  }

  @Test
  void theMembersOfCachesNearerToTheOriginStay() throws StructuredException {
    answers.full(out, STORED, Shelf.NOW);
    new CacheStatus("edge").hit().ttl(1000).write(out);
    out.end();
    byte[] head = Arrays.copyOf(out.bytes(), out.length());
    var response = new ResponseHead(HeadLimits.USUAL);
    assertEquals(HeadError.OK, response.reset(head, 0, head.length));
    byte[] value = StructuredParser.combined(response.fields(), Field.CACHE_STATUS);
    assertEquals(2, StructuredParser.list(value).size());
  }
}
