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
 * Requests under way, and recent answers for requests that are repeated. The addresses of previous
 * hops, which GIST has proved, share {@link #UNDER_WAY} slots fairly, and so do the sources of
 * flows behind each address. {@link #RESERVED} more slots are for messages with a verified
 * signature of a registered publisher, and publishers share them. The table keeps at most {@link
 * #REMEMBERED} answers of {@link #ANSWER_BYTES} together, and the oldest go first.
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
   * The features of a request that identify it. A request that differs in the session, the flow or
   * the digest is another request. A request that differs in the peer alone has come by another
   * way.
   *
   * @param peer the previous hop, where the answer goes; null: this node
   * @param digest SHA-256 of the message inside, in hex
   */
  record Identity(SiiHandle peer, SessionId session, Mri mri, String digest) {
    /** Returns the identity that the previous hop chose itself; empty for flows that start here. */
    String hop() {
      return peer == null ? "" : peer.peerIdentity();
    }

    /** Returns the source that the limits count. */
    SourceKey source() {
      return peer == null ? SourceKey.HERE : SourceKey.of(peer.address());
    }

    /** Returns the way to the slot: network, host, and the source of the flow behind that host. */
    List<String> path() {
      return RequestTable.path(source(), mri);
    }

    /** Returns whether all features but the previous hop are equal. */
    boolean sameRequest(Identity other) {
      return session.equals(other.session) && mri.equals(other.mri) && digest.equals(other.digest);
    }
  }

  private record Running(Identity identity, PathRequest request) {}

  @SuppressWarnings("ArrayRecordComponent") // nobody changes the array
  private record Answered(Identity identity, byte[] answer, long until) {}

  /** Returns the identity of the request with that id, or null if the id is not known. */
  Identity identity(RequestId id, long now) {
    forget(now);
    if (running.containsKey(id)) {
      return running.get(id).identity();
    }
    return answered.containsKey(id) ? answered.get(id).identity() : null;
  }

  /** Returns the request under way, or null. */
  PathRequest underWay(RequestId id) {
    return running.containsKey(id) ? running.get(id).request() : null;
  }

  /** Returns the kept answer, or null. */
  byte[] answer(RequestId id) {
    return answered.containsKey(id) ? answered.get(id).answer() : null;
  }

  private static List<String> path(SourceKey source, Mri mri) {
    String flow = mri instanceof PathCoupledMri m ? SourceKey.of(m.source()).host() : "";
    return List.of(source.network(), source.host(), flow);
  }

  /** Returns whether the source would get a slot, or a publisher at the source might. */
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

  /** Adds a request under way. Its slot was taken before. */
  void begin(Identity identity, PathRequest request) {
    running.put(request.id(), new Running(identity, request));
  }

  /**
   * Records that the request came once more, perhaps by another previous hop. Its answer then goes
   * to the new hop, and its slot counts for the new hop.
   *
   * @return false if the new hop has no slot left; nothing has changed then
   */
  boolean move(RequestId id, Identity now, Consumer<RequestId> giveWay) {
    Running moved = running.get(id);
    if (moved == null) {
      // The answer keeps its place in the order of time.
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
   * Ends a request under way.
   *
   * @param answer kept for repetitions; null: not kept
   * @return the identity of the request as it came last
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

  /** Returns a copy of the requests under way. */
  Collection<PathRequest> requests() {
    List<PathRequest> all = new ArrayList<>();
    running.values().forEach(r -> all.add(r.request()));
    return all;
  }

  int underWay() {
    return running.size();
  }

  /** Slots in use that sources share. */
  int shared() {
    return shared.used();
  }

  /** Slots in use of the reserve. */
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
