// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.Set;
import org.netserv.http.Body;
import org.netserv.http.RequestHead;
import org.netserv.http.cache.ContentRange;
import org.netserv.http.cache.Slice;
import org.netserv.http.cache.SliceVerdict;
import org.netserv.http.cache.StoredResponse;

/** Makes entries of the responses to one fetch, or counts why there is none. */
final class EntryMaker {
  private final CacheTools edge;
  private final Key key;
  private final RequestHead request;

  EntryMaker(CacheTools edge, Key key, RequestHead request) {
    this.edge = edge;
    this.key = key;
    this.request = request;
  }

  /**
   * Makes the entry of a whole response.
   *
   * @param declared the length that the origin names, or -1
   * @param doomed whether a purge came during the fetch
   * @return null if the response is not stored
   */
  Entry whole(Freshener.Reply reply, Body body, long declared, boolean doomed) {
    Why against = edge.admission.against(request, reply.head(), body, reply.received());
    StoredResponse made = made(against, doomed, reply);
    Set<String> surrogates = made == null ? null : surrogates(reply);
    if (surrogates == null) {
      return null;
    }
    Content kept = new Content(edge.store, edge.settings.entryBytes(), declared);
    return new Entry(key, made, kept, surrogates);
  }

  /**
   * Makes the object that a first slice belongs to, or the entry of a whole response if the slice
   * is all of it.
   *
   * @return null if the response is not stored
   */
  Entry object(Slice asked, Freshener.Reply reply, Body body, boolean doomed) {
    Why against = edge.admission.againstSlice(request, reply.head(), body, reply.received());
    StoredResponse made = made(against, doomed, reply);
    if (made == null) {
      return null;
    }
    SliceVerdict verdict = SliceVerdict.first(asked, made, reply.head(), new ContentRange());
    if (verdict != SliceVerdict.SLICE && verdict != SliceVerdict.ALL) {
      edge.count(Why.NOT_SLICED);
      return null;
    }
    Set<String> surrogates = surrogates(reply);
    if (surrogates == null) {
      return null;
    }
    if (verdict == SliceVerdict.SLICE) {
      return new Entry(key, made, surrogates, new Slices(edge.settings.slices()));
    }
    Content kept = new Content(edge.store, edge.settings.entryBytes(), made.length());
    return new Entry(key, made, kept, surrogates);
  }

  /** Makes the head, right behind the decision, or counts why there is none. */
  private StoredResponse made(Why against, boolean doomed, Freshener.Reply reply) {
    Why reason = against == null && doomed ? Why.NOT_STORED_PURGED : against;
    StoredResponse made =
        reason == null
            ? edge.storing.store(reply.head(), reply.requested(), reply.received())
            : null;
    if (made == null) {
      edge.count(reason == null ? Why.NOT_STORED : reason);
    }
    return made;
  }

  private Set<String> surrogates(Freshener.Reply reply) {
    Set<String> surrogates = SurrogateKeys.of(reply.head().fields());
    if (surrogates == null) {
      edge.count(Why.NOT_STORED_SURROGATE_KEYS);
    }
    return surrogates;
  }
}
