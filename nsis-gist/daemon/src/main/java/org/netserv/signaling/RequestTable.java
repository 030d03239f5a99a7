// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.gist.SiiHandle;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;
import org.netserv.nslp.RequestId;

/**
 * Requests under way, and answers kept for those who ask again. Bounded: {@link #UNDER_WAY} under
 * way, {@link #UNDER_WAY_OF_HOP} of them for one previous hop; {@link #REMEMBERED} answers of
 * {@link #ANSWER_BYTES} together, the oldest of which go first.
 */
final class RequestTable {
  static final int UNDER_WAY = 512;
  static final int UNDER_WAY_OF_HOP = 64;
  static final int REMEMBERED = 4096;
  static final int ANSWER_BYTES = 16 << 20;
  static final long REMEMBERED_MILLIS = 120_000;

  private final Map<RequestId, Running> running = new HashMap<>();
  private final Map<String, Integer> byHop = new HashMap<>();
  private final LinkedHashMap<RequestId, Answered> answered = new LinkedHashMap<>();
  private long answerBytes;

  /**
   * What a repetition has to have in common with the request: a request that differs in any of it
   * has come by another way, or is another one.
   *
   * @param peer the previous hop, where the answer goes; null: this node
   * @param digest of the message inside
   */
  record Identity(SiiHandle peer, SessionId session, Mri mri, String digest) {
    /** Identity of the previous hop; empty for flows that start here. */
    String hop() {
      return peer == null ? "" : peer.peerIdentity();
    }

    /** The same but for the previous hop. */
    boolean sameRequest(Identity other) {
      return session.equals(other.session) && mri.equals(other.mri) && digest.equals(other.digest);
    }
  }

  private record Running(Identity identity, PathRequest request) {}

  @SuppressWarnings("ArrayRecordComponent") // nobody changes the array
  private record Answered(Identity identity, byte[] answer, long until) {}

  /** Who sent the request of that id, or null: not known. */
  Identity identity(RequestId id, long now) {
    forget(now);
    if (running.containsKey(id)) {
      return running.get(id).identity();
    }
    return answered.containsKey(id) ? answered.get(id).identity() : null;
  }

  /** The request under way, or null. */
  PathRequest underWay(RequestId id) {
    return running.containsKey(id) ? running.get(id).request() : null;
  }

  /** The answer that is kept, or null. */
  byte[] answer(RequestId id) {
    return answered.containsKey(id) ? answered.get(id).answer() : null;
  }

  boolean full() {
    return running.size() >= UNDER_WAY;
  }

  boolean fullFor(String hop) {
    return full() || byHop.getOrDefault(hop, 0) >= UNDER_WAY_OF_HOP;
  }

  void begin(Identity identity, PathRequest request) {
    running.put(request.id(), new Running(identity, request));
    byHop.merge(identity.hop(), 1, Integer::sum);
  }

  /** The request came once more, perhaps by another previous hop: that is where its answer goes. */
  void move(RequestId id, Identity now) {
    Running moved = running.get(id);
    if (moved != null) {
      leave(moved.identity().hop());
      running.put(id, new Running(now, moved.request()));
      byHop.merge(now.hop(), 1, Integer::sum);
    } else {
      // Its place in the order of time stays.
      answered.computeIfPresent(id, (i, a) -> new Answered(now, a.answer(), a.until()));
    }
  }

  private void leave(String hop) {
    byHop.computeIfPresent(hop, (h, n) -> n == 1 ? null : n - 1);
  }

  /**
   * The request is under way no longer.
   *
   * @param answer kept for repetitions; null: not kept
   * @return the request as it came last
   */
  Identity end(RequestId id, byte[] answer, long now) {
    Running ended = running.remove(id);
    leave(ended.identity().hop());
    if (answer != null) {
      answered.put(id, new Answered(ended.identity(), answer, now + REMEMBERED_MILLIS));
      answerBytes += answer.length;
    }
    forget(now);
    return ended.identity();
  }

  private void forget(long now) {
    Iterator<Answered> oldest = answered.values().iterator();
    while (oldest.hasNext()) {
      Answered one = oldest.next();
      boolean room = answered.size() <= REMEMBERED && answerBytes <= ANSWER_BYTES;
      if (room && one.until() > now) {
        return;
      }
      answerBytes -= one.answer().length;
      oldest.remove();
    }
  }

  /** Those under way, a copy. */
  Collection<PathRequest> requests() {
    List<PathRequest> all = new ArrayList<>();
    running.values().forEach(r -> all.add(r.request()));
    return all;
  }

  int underWay() {
    return running.size();
  }

  int remembered() {
    return answered.size();
  }

  long answerBytes() {
    return answerBytes;
  }
}
