// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.ArrayList;
import java.util.List;
import org.netserv.http.RequestHead;
import org.netserv.http.ResponseHead;
import org.netserv.http.cache.Freshening;
import org.netserv.http.cache.SecondaryKey;
import org.netserv.http.cache.StoredResponse;
import org.netserv.packet.Tally;

/** Updates stored responses by what the origin answers about them. Used within one call. */
final class Freshener {
  private final Store store;
  private final Freshening freshening;
  private final SecondaryKey matcher;
  private final Tally<Why> tally;

  /**
   * An answer of the origin.
   *
   * @param requested milliseconds of the clock when the origin was asked
   * @param received the same when its head came
   */
  record Reply(ResponseHead head, long requested, long received) {}

  Freshener(Store store, Freshening freshening, SecondaryKey matcher, Tally<Why> tally) {
    this.store = store;
    this.freshening = freshening;
    this.matcher = matcher;
    this.tally = tally;
  }

  /**
   * Updates all responses that a 304 confirms (RFC 9111, 4.3.4).
   *
   * @param validating the stored response whose validator the request carried
   * @return whether that one is confirmed and still stored
   */
  boolean confirm(Entry validating, RequestHead request, Reply reply) {
    Variants variants = store.find(validating.key);
    int place = variants == null ? -1 : variants.indexOf(validating);
    if (place < 0) {
      return false;
    }
    long named =
        freshening.identify(
            variants.responses(), place, request.fields(), reply.head().fields(), reply.received());
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < Math.min(Long.SIZE, variants.size()); i++) {
      if ((named & 1L << i) != 0) {
        entries.add(variants.get(i));
      }
    }
    for (Entry each : entries) {
      StoredResponse fresh = update(each, reply);
      if (fresh == null) {
        store.remove(each);
      } else {
        tally.count(Why.FRESHENED);
        store.update(each, fresh);
      }
    }
    return entries.contains(validating) && validating.isStored();
  }

  /**
   * Returns the head of an object with the fields of a newer slice (RFC 9111, 3.4), or null if that
   * does not fit the limits.
   */
  StoredResponse combine(StoredResponse object, Reply reply) {
    return freshening.update(object, reply.head().fields(), reply.requested(), reply.received());
  }

  private StoredResponse update(Entry entry, Reply reply) {
    return combine(entry.response, reply);
  }

  /** Updates or invalidates stored responses after a HEAD (RFC 9111, 4.3.5). */
  void afterHead(Key key, RequestHead request, Reply reply) {
    Variants variants = store.find(key);
    for (int i = 0; variants != null && i < variants.size(); i++) {
      Entry each = variants.get(i);
      if (!matcher.matches(each.response.key(), request.fields())) {
        continue;
      }
      boolean same =
          Freshening.afterHead(each.response, reply.head()) == Freshening.HeadResult.UPDATE;
      StoredResponse fresh = same ? update(each, reply) : null;
      tally.count(fresh == null ? Why.INVALIDATED : Why.FRESHENED);
      store.update(each, fresh == null ? each.response.invalidated() : fresh);
    }
  }
}
