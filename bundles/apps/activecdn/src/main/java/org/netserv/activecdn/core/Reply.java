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
import org.netserv.http.cache.CacheStatus;
import org.netserv.http.cache.MultipartRanges;
import org.netserv.http.cache.StoredResponse;

/**
 * The response to one request: writes its head by the tools of the {@link Edge}, and has a {@link
 * Delivery} send its content. The head of an object in slices waits for the first slice that is
 * needed, so that a client hears of no content that the origin does not have any more.
 */
final class Reply {
  private static final byte[] ALLOW = "Allow".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] METHODS =
      "GET, HEAD, POST, PUT, DELETE, OPTIONS, PATCH".getBytes(StandardCharsets.US_ASCII);

  /** Hears of the end, once. */
  interface Owner extends Delivery.Owner {
    /** The head is not sound, and nothing was sent. */
    void unsound();

    /**
     * The first slice does not come, and nothing was sent.
     *
     * @param changed whether the origin has another content now
     */
    void missing(boolean changed);
  }

  private final CacheTools edge;
  private final Client client;
  private final Owner owner;
  private final Delivery delivery;
  private Opening opening; // null = no slice is awaited

  Reply(CacheTools edge, Client client, Owner owner) {
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
    if (opening != null) {
      opening.parts.forget(opening);
      opening = null;
    }
    delivery.stop();
  }

  /** Waits for the first slice of a response. */
  private final class Opening implements Parts.Waiter {
    private final Entry entry;
    private final SliceParts parts;
    private final CacheStatus.Words words = edge.status.take();

    Opening(Entry entry, SliceParts parts) {
      this.entry = entry;
      this.parts = parts;
    }

    @Override
    public void ready(Part part) {
      opening = null;
      edge.status.put(words);
      send(entry, part, parts);
    }

    @Override
    public void again() {
      opening = null;
      edge.status.put(words);
      send(entry);
    }

    @Override
    public void failed(boolean changed) {
      opening = null;
      owner.missing(changed);
    }
  }

  /** Answers from a response that is stored or about to be; {@code edge.status} is filled in. */
  void send(Entry entry) {
    if (!entry.isSliced()) {
      send(entry, Part.all(entry.content), null);
      return;
    }
    SliceParts parts = new SliceParts(edge, entry, client.request());
    if (!needsContent(entry.response)) {
      send(entry, null, parts);
      return;
    }
    Opening next = new Opening(entry, parts);
    Part part = parts.find(from(0), to(0, entry.response), next);
    if (part == null) {
      opening = next;
    } else {
      next.ready(part);
    }
  }

  /** Tells whether the store has all that the answer from an entry needs. */
  boolean isComplete(Entry entry) {
    boolean complete = true;
    if (entry.isSliced() && needsContent(entry.response)) {
      for (int i = 0; i < Math.max(1, edge.ranges.count()); i++) {
        complete &= entry.slices.covers(from(i), to(i, entry.response));
      }
    }
    return complete;
  }

  /** Decides whether the answer has content of a response, and points the ranges at it. */
  boolean needsContent(StoredResponse response) {
    RequestHead request = client.request();
    if (request.method() == HttpMethod.HEAD) {
      return false;
    }
    return switch (Answer.decide(request, response, edge.ranges, edge.time.wall())) {
      case FULL -> {
        edge.ranges.clear();
        yield true;
      }
      case PART, PARTS -> true;
      case NOT_MODIFIED, UNSATISFIABLE -> false;
    };
  }

  private long from(int place) {
    return edge.ranges.count() == 0 ? 0 : edge.ranges.first(place);
  }

  private long to(int place, StoredResponse response) {
    return edge.ranges.count() == 0 ? response.length() : edge.ranges.last(place) + 1;
  }

  /**
   * Answers from an entry.
   *
   * @param first the part that is read first, null = none is needed
   * @param slices null = the content is in one piece
   */
  private void send(Entry entry, Part first, SliceParts slices) {
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
    begin(length, first, slices);
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
      case NONE -> begin(Client.NONE, Part.all(from), null);
      case LENGTH -> begin(response.contentLength(), Part.all(from), null);
      default -> begin(Client.UNKNOWN, Part.all(from), null);
    }
  }

  private void outcome(HeadWriter out) {
    int words = edge.status.write(out);
    client.outcome(out, words, Math.max(words, out.length() - 2));
  }

  private void begin(long length, Part first, SliceParts parts) {
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
    delivery.begin(first, parts);
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
