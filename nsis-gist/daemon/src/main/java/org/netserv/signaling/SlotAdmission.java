// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.netserv.gist.ReceivedMessage;
import org.netserv.ncm.Method;
import org.netserv.nslp.Carried;
import org.netserv.nslp.RequestId;
import org.netserv.process.FairRate;
import org.netserv.process.Overload;
import org.netserv.process.RateLimit;
import org.netserv.process.SourceKey;
import org.netserv.process.StrangerRate;
import org.netserv.process.Work;
import org.netserv.signaling.RequestTable.Identity;
import org.netserv.signaling.SignalingCounters.Counter;

/**
 * Decides whether a request gets a slot. Limits count the address of the previous hop, because a
 * GIST handshake has proved it. They never count a name or an identity that the sender writes. A
 * request over a limit may still get a slot of the reserve if a registered publisher has signed it.
 * The signature is looked at only then.
 */
final class SlotAdmission {
  static final String BUSY = "503: busy, others wait too";

  /** Length in ms of the window in which the requests of all sources are counted. */
  private static final long WINDOW = 10_000;

  private final RequestTable table;
  private final RegisteredPublishers publishers;
  private final Overload overload;
  private final Supplier<ApplicationSettings> settings;
  private final RateLimit sources = new RateLimit();
  private final Consumer<RequestId> lost;
  private final Consumer<RequestId> ended;
  private final FairRate all = new FairRate(WINDOW);
  private final RateLimit probes = new RateLimit();
  private final FairRate strangers = new FairRate(StrangerRate.WINDOW);
  private final RateLimit signed = new RateLimit();

  /** The answer to a request that gets no slot. */
  record Refusal(Counter counter, String reason) {}

  /**
   * Creates the admission to a table.
   *
   * @param lost gets a request that has lost its slot to another one; the reserve may have a slot
   *     for it
   * @param ended gets a request that has lost its slot of the reserve to another one
   */
  SlotAdmission(
      RequestTable table,
      RegisteredPublishers publishers,
      Overload overload,
      Supplier<ApplicationSettings> settings,
      Consumer<RequestId> lost,
      Consumer<RequestId> ended) {
    this.table = table;
    this.lost = lost;
    this.ended = ended;
    this.publishers = publishers;
    this.overload = overload;
    this.settings = settings;
  }

  /** Returns whether the sender of a Query would get a slot. Its address is not proved yet. */
  boolean welcome(ReceivedMessage query) {
    return table.admits(SourceKey.of(query.peer().address()), query.mri());
  }

  /** Decides about a new request. An admitted request has its slot. */
  Optional<Refusal> admit(RequestId id, Identity identity, Carried carried, long now) {
    Optional<Refusal> refusal = limits(identity, carried, now);
    if (refusal.isEmpty()) {
      return start(id, identity, carried, now)
          ? Optional.empty()
          : refused(Counter.REFUSED_BUSY, BUSY);
    }
    Optional<String> signer = publishers.signer(carried, identity.source(), now);
    if (signer.isEmpty() || overload.refuses(Work.PUBLISHER)) {
      return refusal;
    }
    if (!signed.take(signer.get(), settings.get().publisherPerMinute(), now)) {
      return refused(Counter.REFUSED_PUBLISHER_RATE, "429: too many requests of " + signer.get());
    }
    return table.reserve(id, signer.get(), ended) || table.take(id, identity, lost)
        ? Optional.empty()
        : refused(Counter.REFUSED_BUSY, BUSY);
  }

  /** Takes a slot without counting any rate, because the controller has asked for this flow. */
  boolean start(RequestId id, Identity identity, Carried carried, long now) {
    return table.take(id, identity, lost) || reserve(id, identity, carried, now);
  }

  /** Counts a request that now comes by another hop for the slots of that hop. */
  boolean move(RequestId id, Identity now) {
    return table.move(id, now, lost);
  }

  /** Takes a slot of the reserve, if a registered publisher has signed the message. */
  boolean reserve(RequestId id, Identity identity, Carried carried, long now) {
    return publishers
        .signer(carried, identity.source(), now)
        .filter(signer -> table.reserve(id, signer, ended))
        .isPresent();
  }

  /**
   * Counts a request for its source. A peer may be a node that brings many flows, so each flow of
   * the peer has its own rate. The peer has its share of the rate that all peers share.
   */
  boolean rate(Identity identity, long now) {
    int limit = settings.get().hopPerMinute();
    return sources.take(String.join(" ", identity.path()), limit, now)
        && all.take(identity.source().host(), limit, now);
  }

  static String tooMany(SourceKey source) {
    return "429: too many requests from " + source.host();
  }

  private Optional<Refusal> limits(Identity identity, Carried carried, long now) {
    SourceKey source = identity.source();
    Optional<String> scarce = overload.refusal(kind(carried));
    if (scarce.isPresent()) {
      return refused(Counter.REFUSED_OVERLOAD, "503: " + scarce.get());
    }
    if (!rate(identity, now)) {
      return refused(Counter.REFUSED_HOP_RATE, tooMany(source));
    }
    if (stranger(carried) && !probe(identity, now)) {
      return refused(
          Counter.REFUSED_PROBE_RATE, "429: too many PROBEs of strangers from " + source.host());
    }
    return Optional.empty();
  }

  private boolean probe(Identity identity, long now) {
    int limit = settings.get().probesPerMinute();
    return probes.take(String.join(" ", identity.path()), limit, now)
        && strangers.take(identity.source().host(), StrangerRate.budget(limit), now);
  }

  private Work kind(Carried carried) {
    if (stranger(carried)) {
      return Work.STRANGER;
    }
    return carried.user().filter(publishers::knows).isPresent() ? Work.UNSIGNED : Work.UNKNOWN;
  }

  private static boolean stranger(Carried carried) {
    return carried.trigger() == null
        && carried.user().isEmpty()
        && carried.ncm().method() == Method.PROBE;
  }

  private static Optional<Refusal> refused(Counter counter, String reason) {
    return Optional.of(new Refusal(counter, reason));
  }
}
