// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.netserv.gist.SiiHandle;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.SessionId;
import org.netserv.nslp.RequestId;
import org.netserv.process.FairSlots;
import org.netserv.process.SourceKey;

/**
 * Requests under way, and answers kept for those who ask again. {@link #UNDER_WAY} requests are
 * shared fairly by the addresses of previous hops, which GIST has proved, and by the sources of
 * flows behind each of them. {@link #RESERVED} more are for messages whose signature by a
 * registered publisher was verified, shared by publishers. Of answers {@link #REMEMBERED} of {@link
 * #ANSWER_BYTES} together are kept, and the oldest go first.
 */
final class RequestTable {
  static final int UNDER_WAY = 512;
  static final int RESERVED = 128;
  static final int REMEMBERED = 4096;
  static final int ANSWER_BYTES = 16 << 20;
  static final long REMEMBERED_MILLIS = 120_000;

  private final Map<RequestId, Running> running = new HashMap<>();
  private final FairSlots<RequestId> shared = new FairSlots<>(UNDER_WAY);
  private final FairSlots<RequestId> reserved = new FairSlots<>(RESERVED);
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
    /** Identity of the previous hop, which it chose itself; empty for flows that start here. */
    String hop() {
      return peer == null ? "" : peer.peerIdentity();
    }

    /** The source that limits count. */
    SourceKey source() {
      return peer == null ? SourceKey.HERE : SourceKey.of(peer.address());
    }

    /** The way to the slot: network, host, and the source of the flow behind that host. */
    List<String> path() {
      return RequestTable.path(source(), mri);
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

  private static List<String> path(SourceKey source, Mri mri) {
    String flow = mri instanceof PathCoupledMri m ? SourceKey.of(m.source()).host() : "";
    return List.of(source.network(), source.host(), flow);
  }

  /** Whether a request of that source would get a slot, or one of a publisher might. */
  boolean admits(SourceKey source, Mri mri) {
    return shared.admits(path(source, mri)) || reserved.used() < RESERVED;
  }

  /**
   * Takes a slot by the source of a request.
   *
   * @param giveWay gets the request that had to give up its slot
   */
  boolean take(RequestId id, Identity identity, Consumer<RequestId> giveWay) {
    return shared.take(id, identity.path(), giveWay);
  }

  /** Takes a slot of the reserve. */
  boolean reserve(RequestId id, String publisher, Consumer<RequestId> giveWay) {
    return reserved.take(id, List.of(publisher), giveWay);
  }

  /** The request is under way; its slot was taken before. */
  void begin(Identity identity, PathRequest request) {
    running.put(request.id(), new Running(identity, request));
  }

  /**
   * The request came once more, perhaps by another previous hop: that is where its answer goes, and
   * where its slot is counted.
   *
   * @return false: the new hop has no slot left, and nothing has changed
   */
  boolean move(RequestId id, Identity now, Consumer<RequestId> giveWay) {
    Running moved = running.get(id);
    if (moved == null) {
      // Its place in the order of time stays.
      answered.computeIfPresent(id, (i, a) -> new Answered(now, a.answer(), a.until()));
      return true;
    }
    if (shared.holds(id) && !moved.identity().path().equals(now.path())) {
      if (!shared.admits(now.path())) {
        return false;
      }
      shared.release(id);
      shared.take(id, now.path(), giveWay);
    }
    running.put(id, new Running(now, moved.request()));
    return true;
  }

  /**
   * The request is under way no longer.
   *
   * @param answer kept for repetitions; null: not kept
   * @return the request as it came last
   */
  Identity end(RequestId id, byte[] answer, long now) {
    Running ended = running.remove(id);
    shared.release(id);
    reserved.release(id);
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

  /** Slots that sources share and have taken. */
  int shared() {
    return shared.used();
  }

  /** Slots of the reserve that are taken. */
  int reserved() {
    return reserved.used();
  }

  int remembered() {
    return answered.size();
  }

  long answerBytes() {
    return answerBytes;
  }
}
