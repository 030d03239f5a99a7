// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HeadError;
import org.netserv.http.HeadLimits;
import org.netserv.http.HeadWriter;
import org.netserv.http.Heads;
import org.netserv.http.HttpMethod;
import org.netserv.http.RequestHead;
import org.netserv.http.ResponseHead;

/** A whole cache of the block's decisions, with its store in memory and a scripted origin. */
final class Edge {
  /** The origin: a request's head to a response, or null where it cannot be reached. */
  interface Origin {
    Reply answer(RequestHead request);
  }

  /** A response. */
  static final class Reply {
    private final byte[] head;
    private final String content;

    private Reply(byte[] head, String content) {
      this.head = head;
      this.content = content;
    }

    String content() {
      return content;
    }

    static Reply of(int status, String content, String... fields) {
      String[] lines = new String[fields.length + 1];
      lines[0] = "HTTP/1.1 " + status + " ";
      System.arraycopy(fields, 0, lines, 1, fields.length);
      return new Reply(Heads.bytes(lines), content);
    }

    ResponseHead view() {
      ResponseHead view = new ResponseHead(HeadLimits.USUAL);
      if (view.reset(head, 0, head.length) != HeadError.OK) {
        throw new IllegalStateException(new String(head, StandardCharsets.ISO_8859_1));
      }
      return view;
    }

    int status() {
      return view().status();
    }

    /** The first value of a field, or null. */
    String value(Field field) {
      return view().fields().text(field);
    }
  }

  private static final class Entry {
    StoredResponse response;
    final byte[] content;
    final Extents extents = new Extents(16);

    Entry(StoredResponse response, byte[] content) {
      this.response = response;
      this.content = content;
    }
  }

  private final CacheSettings settings;
  private final Origin origin;
  private final Map<String, List<Entry>> store = new HashMap<>();
  private final Storing storing;
  private final Freshening freshening;
  private final SecondaryKey matcher;
  private final Answers answers = new Answers();
  private final ByteRanges ranges = new ByteRanges(16);
  private final CacheStatus status = new CacheStatus("edge");
  private final HeadWriter out = new HeadWriter(16_384);
  private final MultipartRanges parts = new MultipartRanges("boundary");
  long now = Shelf.NOW;

  Edge(CacheSettings settings, Origin origin) {
    this.settings = settings;
    this.origin = origin;
    this.storing = new Storing(settings, HeadLimits.USUAL);
    this.freshening = new Freshening(settings, HeadLimits.USUAL);
    this.matcher = new SecondaryKey(settings);
  }

  /** Serves a request. */
  Reply serve(String... lines) {
    RequestHead request = Heads.request(lines);
    String key = new CacheKey().reset(request, false).text();
    if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD) {
      return unsafe(request, key);
    }
    CacheControl directives = new CacheControl().reset(request.fields());
    List<Entry> entries = store.computeIfAbsent(key, ignored -> new ArrayList<>());
    int chosen = Selection.choose(responses(entries), request.fields(), matcher);
    if (chosen < 0) {
      return Reuse.mayForward(directives)
          ? miss(request, entries, CacheStatus.Forward.ofMiss(chosen))
          : Reply.of(504, "");
    }
    return chosen(request, directives, entries, entries.get(chosen));
  }

  private Reply unsafe(RequestHead request, String key) {
    Reply reply = ask(request, Forwarding.Purpose.PASS, List.of());
    if (reply != null && Invalidation.decide(request.method(), reply.status())) {
      invalidate(key);
      for (Field field : List.of(Field.LOCATION, Field.CONTENT_LOCATION)) {
        invalidate(Invalidation.other(key, reply.view().fields(), field));
      }
    }
    return reply == null ? Reply.of(502, "") : reply;
  }

  private void invalidate(String key) {
    store
        .getOrDefault(key, List.of())
        .forEach(entry -> entry.response = entry.response.invalidated());
  }

  private Reply chosen(
      RequestHead request, CacheControl directives, List<Entry> entries, Entry entry) {
    Reuse reuse = Reuse.decide(entry.response, directives, settings, now);
    if (reuse == Reuse.GATEWAY_TIMEOUT) {
      return Reply.of(504, "");
    }
    if (!reuse.isSent()) {
      return validate(request, directives, entries, entry, CacheStatus.Forward.of(reuse));
    }
    if (!covers(request, entry)) {
      return miss(request, entries, CacheStatus.Forward.PARTIAL);
    }
    Reply reply = send(request, entry, null);
    if (reuse == Reuse.STALE_REVALIDATE) {
      validate(request, directives, entries, entry, CacheStatus.Forward.STALE);
    }
    return reply;
  }

  private boolean covers(RequestHead request, Entry entry) {
    long length = entry.response.length();
    ByteRanges.Verdict verdict = ranges.reset(request.method(), request.fields(), length);
    if (!Preconditions.allowsRange(request.fields(), entry.response, now)) {
      verdict = ByteRanges.Verdict.WHOLE;
    }
    return Combining.answers(entry.extents, length, verdict, ranges) || length == 0;
  }

  private Reply miss(RequestHead request, List<Entry> entries, CacheStatus.Forward why) {
    Reply reply = ask(request, Forwarding.Purpose.PASS, List.of());
    if (reply == null) {
      return Reply.of(502, "");
    }
    return received(request, entries, reply, why);
  }

  private Reply received(
      RequestHead request, List<Entry> entries, Reply reply, CacheStatus.Forward why) {
    ResponseHead response = reply.view();
    if (request.method() == HttpMethod.HEAD) {
      afterHead(request, entries, response);
    } else if (storing.decide(request, response, now).isStored()) {
      put(entries, storing.store(response, now, now), response, reply.content());
    }
    out.begin().status(response.status()).copyEndToEnd(response.fields());
    status.forward(why).forwardStatus(response.status()).write(out);
    return written(reply.content());
  }

  private void afterHead(RequestHead request, List<Entry> entries, ResponseHead response) {
    for (Entry entry : entries) {
      if (response.status() == 200 && matcher.matches(entry.response.key(), request.fields())) {
        boolean same =
            Freshening.afterHead(entry.response, response) == Freshening.HeadResult.UPDATE;
        entry.response =
            same
                ? freshening.update(entry.response, response.fields(), now, now)
                : entry.response.invalidated();
      }
    }
  }

  private void put(List<Entry> entries, StoredResponse stored, ResponseHead response, String text) {
    byte[] content = Heads.latin(text);
    ContentRange range = new ContentRange();
    boolean part = response.status() == 206 && range.reset(response.fields());
    for (Entry entry : entries) {
      boolean same = Arrays.equals(entry.response.key(), stored.key());
      if (part
          && same
          && Combining.decide(entry.response, response, range, now) == Combining.COMBINE) {
        fill(entry, range, content);
        entry.response = freshening.update(entry.response, response.fields(), now, now);
        return;
      }
    }
    entries.removeIf(entry -> Arrays.equals(entry.response.key(), stored.key()));
    if (part) {
      int length = (int) (stored.length() < 0 ? range.last() + 1 : stored.length());
      Entry entry = new Entry(stored, new byte[length]);
      fill(entry, range, content);
      entries.add(entry);
    } else {
      Entry entry = new Entry(stored.withLength(content.length), content);
      entry.extents.add(0, content.length);
      entries.add(entry);
    }
  }

  private static void fill(Entry entry, ContentRange range, byte[] content) {
    System.arraycopy(content, 0, entry.content, (int) range.first(), content.length);
    entry.extents.add(range.first(), range.last() + 1);
  }

  private Reply validate(
      RequestHead request,
      CacheControl directives,
      List<Entry> entries,
      Entry entry,
      CacheStatus.Forward why) {
    if (request.method() == HttpMethod.HEAD) {
      return miss(request, entries, why);
    }
    Reply reply = ask(request, Forwarding.Purpose.FILL, List.of(entry.response));
    if (reply == null || Validation.outcome(reply.status()) == Validation.Outcome.ERROR) {
      int code = reply == null ? StaleOnError.UNREACHABLE : reply.status();
      return switch (StaleOnError.decide(entry.response, directives, code, settings, now)) {
        case SEND_STORED -> send(request, entry, null);
        case SEND_ERROR -> received(request, entries, reply, why);
        case GATEWAY_TIMEOUT -> Reply.of(504, "");
      };
    }
    if (reply.status() != 304) {
      return received(request, entries, reply, why);
    }
    return freshen(request, entries, entry, reply.view().fields(), why);
  }

  private Reply freshen(
      RequestHead request,
      List<Entry> entries,
      Entry entry,
      FieldSection fields,
      CacheStatus.Forward why) {
    int place = entries.indexOf(entry);
    long identified = freshening.identify(responses(entries), place, request.fields(), fields, now);
    for (int i = 0; i < entries.size(); i++) {
      if ((identified & 1L << i) != 0) {
        Entry each = entries.get(i);
        each.response = freshening.update(each.response, fields, now, now);
      }
    }
    if ((identified & 1L << place) == 0) {
      Reply whole = ask(request, Forwarding.Purpose.FILL, List.of());
      return whole == null ? Reply.of(502, "") : received(request, entries, whole, why);
    }
    return send(request, entry, why);
  }

  private Reply send(RequestHead request, Entry entry, CacheStatus.Forward why) {
    StoredResponse response = entry.response;
    Answer answer = Answer.decide(request, response, ranges, now);
    boolean ifRange = request.fields().has(Field.IF_RANGE);
    byte[] none = new byte[0];
    switch (answer) {
      case FULL -> answers.full(out, response, now);
      case NOT_MODIFIED -> answers.notModified(out, response, now);
      case PART -> answers.part(out, response, ranges, ifRange, now);
      case PARTS -> {
        long length = parts.length(out, ranges, response.length(), none, 0, 0);
        answers.multipart(out, response, parts, length, ifRange, now);
      }
      case UNSATISFIABLE -> answers.unsatisfiable(out, response, now);
    }
    if (why == null) {
      status.hit();
    } else {
      status.forward(why).forwardStatus(304);
    }
    status.ttl(response.remaining(now)).write(out);
    return written(request.method() == HttpMethod.HEAD ? "" : content(answer, entry));
  }

  private String content(Answer answer, Entry entry) {
    String all = new String(entry.content, StandardCharsets.ISO_8859_1);
    StringBuilder text = new StringBuilder();
    switch (answer) {
      case FULL -> text.append(all);
      case PART -> text.append(all, (int) ranges.first(0), (int) ranges.last(0) + 1);
      case PARTS -> {
        HeadWriter head = new HeadWriter(1000);
        for (int i = 0; i < ranges.count(); i++) {
          parts.partHead(head.begin(), ranges, i, all.length(), new byte[0], 0, 0);
          text.append(Heads.text(head));
          text.append(all, (int) ranges.first(i), (int) ranges.last(i) + 1);
        }
        parts.end(head.begin());
        text.append(Heads.text(head));
      }
      case NOT_MODIFIED, UNSATISFIABLE -> {}
    }
    return text.toString();
  }

  private Reply written(String content) {
    out.end();
    if (!out.fits()) {
      throw new IllegalStateException("the head does not fit");
    }
    return new Reply(Arrays.copyOf(out.bytes(), out.length()), content);
  }

  private Reply ask(RequestHead request, Forwarding.Purpose purpose, List<StoredResponse> known) {
    HeadWriter forwarded = new HeadWriter(16_384);
    Forwarding.write(forwarded, request, purpose, "edge");
    Validation.write(forwarded, known);
    forwarded.end();
    RequestHead view = new RequestHead(HeadLimits.USUAL);
    HeadError error = view.reset(forwarded.bytes(), 0, forwarded.length());
    if (error != HeadError.OK || !forwarded.fits()) {
      throw new IllegalStateException(error.text());
    }
    return origin.answer(view);
  }

  private static List<StoredResponse> responses(List<Entry> entries) {
    return entries.stream().map(entry -> entry.response).toList();
  }
}
