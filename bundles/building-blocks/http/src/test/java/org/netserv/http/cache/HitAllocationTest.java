// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.http.HeadError;
import org.netserv.http.HeadLimits;
import org.netserv.http.HeadWriter;
import org.netserv.http.Heads;
import org.netserv.http.RequestHead;
import org.netserv.values.AllocatedBytes;

/** Reads requests, finds the stored response, decides, and writes the answer's head. */
class HitAllocationTest {
  private static final int ROUNDS = 20_000;

  private final byte[] plain =
      Heads.bytes("GET /a?b HTTP/1.1", "Host: example.org", "Accept-Encoding: gzip, br", "X: y");
  private final byte[] conditional =
      Heads.bytes(
          "GET /a?b HTTP/1.1",
          "Host: example.org",
          "Accept-Encoding: gzip,br",
          "Cache-Control: max-age=5",
          "If-None-Match: \"x\", \"a\"");
  private final byte[] part =
      Heads.bytes(
          "GET /a?b HTTP/1.1",
          "Host: example.org",
          "Accept-Encoding: GZIP, br",
          "Range: bytes=0-4, 500-509",
          "If-Range: \"a\"");
  private final RequestHead request = new RequestHead(HeadLimits.USUAL);
  private final CacheKey key = new CacheKey();
  private final CacheControl directives = new CacheControl();
  private final SecondaryKey matcher = new SecondaryKey(CacheSettings.EDGE);
  private final ByteRanges ranges = new ByteRanges(16);
  private final MultipartRanges parts = new MultipartRanges("xyz");
  private final Answers answers = new Answers();
  private final CacheStatus status = new CacheStatus("edge");
  private final HeadWriter out = Shelf.writer();
  private final List<StoredResponse> stored =
      List.of(
          Shelf.store(
                  Heads.get("Accept-Encoding: gzip, br"),
                  200,
                  "Cache-Control: max-age=60",
                  "Vary: Accept-Encoding",
                  "ETag: \"a\"",
                  "Content-Type: text/plain")
              .withLength(2000));
  private int wrong;

  @Test
  void nothingIsAllocated() {
    serve();
    assertEquals(0, AllocatedBytes.least(this::serve));
    assertEquals(0, wrong);
  }

  private void serve() {
    for (int i = 0; i < ROUNDS; i++) {
      wrong += serve(plain) == 200 ? 0 : 1;
      wrong += serve(conditional) == 304 ? 0 : 1;
      wrong += serve(part) == 206 ? 0 : 1;
    }
  }

  private int serve(byte[] bytes) {
    if (request.reset(bytes, 0, bytes.length) != HeadError.OK) {
      return 0;
    }
    key.reset(request, true);
    directives.reset(request.fields());
    int chosen = Selection.choose(stored, request.fields(), matcher);
    if (chosen < 0) {
      return 0;
    }
    StoredResponse response = stored.get(chosen);
    long now = Shelf.NOW + 4_000;
    Reuse reuse = Reuse.decide(response, directives, CacheSettings.EDGE, now);
    int code = reuse.isSent() ? answer(response, now) : 0;
    status.hit().ttl(response.remaining(now)).write(out);
    return out.end().fits() ? code : 0;
  }

  private int answer(StoredResponse response, long now) {
    return switch (Answer.decide(request, response, ranges, now)) {
      case NOT_MODIFIED -> {
        answers.notModified(out, response, now);
        yield 304;
      }
      case PARTS -> {
        long length = parts.length(out, ranges, response.length(), plain, 0, 0);
        answers.multipart(out, response, parts, length, true, now);
        yield 206;
      }
      default -> {
        answers.full(out, response, now);
        yield 200;
      }
    };
  }
}
