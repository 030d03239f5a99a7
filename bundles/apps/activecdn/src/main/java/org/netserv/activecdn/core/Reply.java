// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.netserv.http.Body;
import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HeadWriter;
import org.netserv.http.HttpMethod;
import org.netserv.http.RequestHead;
import org.netserv.http.ResponseHead;
import org.netserv.http.cache.Answer;
import org.netserv.http.cache.Answers;
import org.netserv.http.cache.ByteRanges;
import org.netserv.http.cache.MultipartRanges;
import org.netserv.http.cache.StoredResponse;

/**
 * The response to one request: writes its head by the tools of the {@link Edge}, and has a {@link
 * Delivery} send its content.
 */
final class Reply {
  private static final byte[] ALLOW = "Allow".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] METHODS =
      "GET, HEAD, POST, PUT, DELETE, OPTIONS, PATCH".getBytes(StandardCharsets.US_ASCII);

  /** Hears of the end, once. */
  interface Owner extends Delivery.Owner {
    /** The head is not sound, and nothing was sent. */
    void unsound();
  }

  private final Edge edge;
  private final Client client;
  private final Owner owner;
  private final Delivery delivery;

  Reply(Edge edge, Client client, Owner owner) {
    this.edge = edge;
    this.client = client;
    this.owner = owner;
    delivery = new Delivery(client, owner);
  }

  /** Hears that the client takes more. */
  void moved() {
    delivery.moved();
  }

  /** Sends nothing more. */
  void stop() {
    delivery.stop();
  }

  /** Answers from a response that is stored or about to be; {@code edge.status} is filled in. */
  void send(Entry entry) {
    StoredResponse response = entry.response;
    long now = edge.time.wall();
    RequestHead request = client.request();
    boolean ifRange = request.fields().has(Field.IF_RANGE);
    HeadWriter out = edge.out;
    Answers answers = edge.answers;
    long length = Client.NONE;
    switch (Answer.decide(request, response, edge.ranges, now)) {
      case FULL -> {
        answers.full(out, response, now);
        length = response.status() == 204 ? Client.NONE : response.length();
        delivery.add(Piece.range(0, length < 0 ? Piece.END : length));
      }
      case NOT_MODIFIED -> {
        edge.count(Why.NOT_MODIFIED);
        answers.notModified(out, response, now);
      }
      case PART -> {
        edge.count(Why.RANGE);
        answers.part(out, response, edge.ranges, ifRange, now);
        delivery.add(Piece.range(edge.ranges.first(0), edge.ranges.last(0) + 1));
        length = edge.ranges.last(0) + 1 - edge.ranges.first(0);
      }
      case PARTS -> {
        edge.count(Why.RANGE);
        MultipartRanges parts = new MultipartRanges(edge.boundary());
        length = parts(parts, response);
        answers.multipart(out, response, parts, length, ifRange, now);
      }
      case UNSATISFIABLE -> {
        edge.count(Why.RANGE_UNSATISFIABLE);
        answers.unsatisfiable(out, response, now);
        length = 0;
      }
    }
    outcome(out);
    edge.via(1);
    begin(length, entry.content);
  }

  private long parts(MultipartRanges parts, StoredResponse response) {
    ByteRanges ranges = edge.ranges;
    HeadWriter scratch = edge.out;
    int line = edge.answers.contentType(response);
    FieldSection stored = edge.answers.fields();
    int start = line < 0 ? 0 : stored.valueStart(line);
    int end = line < 0 ? 0 : stored.valueEnd(line);
    byte[] type = stored.bytes();
    for (int i = 0; i < ranges.count(); i++) {
      parts.partHead(scratch.begin(), ranges, i, response.length(), type, start, end);
      delivery.add(Piece.literal(Arrays.copyOf(scratch.bytes(), scratch.length())));
      delivery.add(Piece.range(ranges.first(i), ranges.last(i) + 1));
    }
    parts.end(scratch.begin());
    delivery.add(Piece.literal(Arrays.copyOf(scratch.bytes(), scratch.length())));
    return parts.length(scratch, ranges, response.length(), type, start, end);
  }

  /** Passes a response on as it comes; {@code edge.status} is filled in. */
  void forward(ResponseHead response, Body body, Content from) {
    HeadWriter out = edge.out.begin().status(response.status()).copyEndToEnd(response.fields());
    if (!response.fields().has(Field.DATE)) {
      out.date(Field.DATE, Math.floorDiv(edge.time.wall(), 1000L));
    }
    outcome(out);
    edge.via(response.minor());
    delivery.add(Piece.range(0, Piece.END));
    switch (body) {
      case NONE -> begin(Client.NONE, from);
      case LENGTH -> begin(response.contentLength(), from);
      default -> begin(Client.UNKNOWN, from);
    }
  }

  private void outcome(HeadWriter out) {
    int words = edge.status.write(out);
    client.outcome(out, words, Math.max(words, out.length() - 2));
  }

  private void begin(long length, Content from) {
    boolean head = client.request().method() == HttpMethod.HEAD;
    long sent = head ? Client.NONE : length;
    if (!client.head(edge.out, sent)) {
      delivery.clear();
      owner.unsound();
      return;
    }
    if (sent == Client.NONE || sent == 0) {
      owner.delivered();
      return;
    }
    delivery.begin(from);
  }

  /**
   * Answers with a text of the edge's own.
   *
   * @param allow whether the methods are named
   */
  void local(int status, String type, String text, boolean allow) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    HeadWriter out =
        edge.out
            .begin()
            .status(status)
            .date(Field.DATE, Math.floorDiv(edge.time.wall(), 1000L))
            .field(Field.CACHE_CONTROL, "no-store")
            .field(Field.CONTENT_TYPE, type)
            .field(Field.CONTENT_LENGTH, bytes.length);
    if (allow) {
      out.field(ALLOW, METHODS);
    }
    boolean head = client.request().method() == HttpMethod.HEAD;
    client.head(out, head ? Client.NONE : bytes.length);
    if (!head && bytes.length > 0) {
      client.write(bytes, 0, bytes.length);
    }
    owner.delivered();
  }
}
