// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.netserv.controller.fastpath.Counting;
import org.netserv.controller.isolation.Isolation;
import org.netserv.controller.limit.Limit;
import org.netserv.controller.limit.Limits;
import org.netserv.controller.log.Delegate;
import org.netserv.controller.log.DesiredModule;
import org.netserv.controller.log.DesiredState;
import org.netserv.controller.log.FetchedBundle;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.log.StateImage;
import org.netserv.controller.module.ModuleOrder;
import org.netserv.filter.FlowFilter;
import org.netserv.ncm.Activate;
import org.netserv.ncm.Dependency;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmRules;
import org.netserv.process.FairRate;
import org.netserv.process.RateLimit;

/**
 * The questions that a message has to pass, each in its own method. {@link NcmService} asks them in
 * order. They change nothing but the rate limit's buckets, and the counts of limits.
 */
public final class NcmAdmission {
  /** Milliseconds in which bad signatures are counted. */
  static final long WINDOW = 10_000;

  /** Bad signatures of all sources together that are checked in a {@link #WINDOW}. */
  static final int BAD_SIGNATURES = 6_000;

  /**
   * Milliseconds that a sequence number may be ahead of the node's clock, if the window is not
   * longer.
   */
  static final long SEQ_AHEAD = 10 * 60_000;

  private static final String OVER = "over its limit: ";

  private final Publishers publishers;
  private final NodeFacts facts;
  private final Isolation isolation;
  private final Limits limits;
  private final Counting counting;
  private final RateLimit setups = new RateLimit();
  private final RateLimit shares = new RateLimit();
  private final FairRate bad = new FairRate(WINDOW);
  private final CountedOnce counted = new CountedOnce();

  public NcmAdmission(
      Publishers publishers,
      NodeFacts facts,
      Isolation isolation,
      Limits limits,
      Counting counting) {
    this.publishers = publishers;
    this.facts = facts;
    this.isolation = isolation;
    this.limits = limits;
    this.counting = counting;
  }

  /** Tells whether the publisher of a message is known here. */
  boolean knows(Ncm ncm) {
    return ncm.user().flatMap(publishers::find).isPresent();
  }

  /**
   * Returns the publisher that a message names. The publisher must be known and not revoked, and
   * the headers must suit the messages that it may send.
   */
  Publisher publisher(Ncm ncm) throws NcmException {
    Optional<Publisher> known = ncm.user().flatMap(publishers::find);
    // Without a user the rules find the missing header. A stranger learns the same about any name.
    NcmRules.check(ncm, known.map(Publisher::legacy).orElse(false));
    Publisher publisher =
        known.orElseThrow(
            () -> refusal(403, Header.USER, "this node does not know that publisher"));
    if (publisher.revoked()) {
      throw refusal(403, Header.USER, "this node does not serve that publisher any more");
    }
    return publisher;
  }

  /** Accepts a message as its publisher's own if one of the registered keys verifies it. */
  void signature(Ncm ncm, Publisher publisher, Optional<Origin> origin, long monotonic)
      throws NcmException {
    signed(
        () -> publisher.keys().stream().anyMatch(key -> Signatures.verifies(ncm, key)),
        Header.SIGNATURE,
        "no key registered for this publisher verifies it",
        origin,
        monotonic);
  }

  /**
   * Checks a signature. Signatures are expensive and names are free, so bad signatures are counted
   * for the peer that brought them, which is a fact that the sender cannot write. Good signatures
   * count for their publisher alone.
   *
   * @param header to blame
   * @param origin empty for the operator's own messages, which are not counted
   */
  void signed(
      BooleanSupplier verifies,
      Header header,
      String refusal,
      Optional<Origin> origin,
      long monotonic)
      throws NcmException {
    String peer = origin.map(o -> o.peer().host()).orElse(null);
    if (peer != null && !bad.admits(peer, BAD_SIGNATURES, monotonic)) {
      throw refusal(429, Header.SIGNATURE, "too many bad signatures from " + peer);
    }
    if (!verifies.getAsBoolean()) {
      charge(origin, monotonic);
      throw refusal(401, header, refusal);
    }
  }

  private void charge(Optional<Origin> origin, long monotonic) {
    origin.ifPresent(o -> bad.take(o.peer().host(), BAD_SIGNATURES, monotonic));
  }

  /** Requires a date within the window around the node's clock. */
  void date(Ncm ncm, long now) throws NcmException {
    if (ncm.date().isPresent()) {
      date(ncm.date().get().toEpochMilli(), now);
    }
  }

  void date(long date, long now) throws NcmException {
    if (Math.abs(date - now) > publishers.window()) {
      Instant clock = Instant.ofEpochSecond(now / 1000);
      throw refusal(
          403,
          Header.DATE,
          "more than " + publishers.window() / 1000 + " s from this node's clock, " + clock);
    }
  }

  /** Returns the answer kept for this very message, if it was accepted before. */
  Optional<StateImage.Nonce> repetition(Ncm ncm, String bytes, DesiredState state)
      throws NcmException {
    Optional<StateImage.Nonce> seen =
        Optional.ofNullable(ncm.get(Header.NONCE))
            .flatMap(nonce -> state.nonce(ncm.get(Header.USER), nonce));
    if (seen.isPresent() && !seen.get().bytes().equals(bytes)) {
      throw refusal(409, Header.NONCE, "used before in another message");
    }
    return seen;
  }

  void seq(Ncm ncm, DesiredState state, long now) throws NcmException {
    if (ncm.seq().isEmpty()) {
      return;
    }
    if (Long.compareUnsigned(ncm.seq().getAsLong(), now + seqAhead()) > 0) {
      throw refusal(
          403,
          Header.SEQ,
          "milliseconds since 1970, at most "
              + seqAhead() / 60_000
              + " minutes ahead of this node's clock, which is "
              + now
              + " ("
              + Instant.ofEpochSecond(now / 1000)
              + ")");
    }
    // REMOVE * is a message about each module, so a SETUP that it has overtaken stays removed.
    for (String name : List.of(numbered(ncm), "*")) {
      OptionalLong last = state.lastSeq(new ModuleKey(ncm.get(Header.USER), name));
      if (last.isPresent() && Long.compareUnsigned(ncm.seq().getAsLong(), last.getAsLong()) <= 0) {
        throw refusal(
            409, Header.SEQ, "the last accepted one is " + Long.toUnsignedString(last.getAsLong()));
      }
    }
  }

  /**
   * Returns the name under which the sequence number of a message counts. Each delegate has numbers
   * of its own, and so have revocations.
   */
  private static String numbered(Ncm ncm) {
    if (ncm.has(Header.REVOKE)) {
      return DesiredState.REVOKE;
    }
    return ncm.name() + mark(ncm);
  }

  /**
   * Returns how far a sequence number may be ahead of the clock. A number from the future would
   * lock its publisher out until then. A counter from 1 is never in the future.
   */
  private long seqAhead() {
    return Math.max(SEQ_AHEAD, publishers.window());
  }

  /**
   * Counts a verified message for its publisher.
   *
   * @param bytes digest of the message. A copy counts for the peer that brought the copy.
   */
  void rate(Publisher publisher, String bytes, Optional<Origin> origin, long monotonic)
      throws NcmException {
    if (!counted.first(publisher.name() + " " + bytes)) {
      charge(origin, monotonic);
      return;
    }
    if (!setups.take(publisher.name(), publisher.setupsPerMinute(), monotonic)) {
      counted.forget(publisher.name() + " " + bytes);
      limits.met(publisher.name(), Limit.SETUPS, 1, "" + publisher.setupsPerMinute());
      throw refusal(
          429, null, OVER + "more than " + publisher.setupsPerMinute() + " SETUPs a minute");
    }
  }

  /**
   * Counts a SETUP, and tells whether its publisher stays within a quarter of its rate. This share
   * of the rate is left under load.
   */
  boolean withinShare(Publisher publisher, long monotonic) {
    int share = Math.max(1, publisher.setupsPerMinute() / 4);
    return shares.take(publisher.name(), share, monotonic);
  }

  void addressed(NcmRequest request) throws NcmException {
    Ncm ncm = request.ncm();
    if (!ncm.addressedTo(facts.nodeId(), request.last())) {
      Header header =
          ncm.nodeId().filter(id -> !id.equals(facts.nodeId())).isPresent()
              ? Header.NODE_ID
              : Header.WHERE;
      throw refusal(421, header, "not addressed to this node, " + facts.nodeId());
    }
    if (request.destination().isPresent()
        && ncm.to().isPresent()
        && !ncm.to().equals(request.destination())) {
      throw refusal(
          403,
          Header.TO,
          "the message came on the path to " + request.destination().get().getHostAddress());
    }
  }

  /** Refuses a publisher that this node cannot isolate, whoever asks. */
  void isolation(Publisher publisher) throws NcmException {
    Optional<String> refusal = isolation.refusal(publisher.name());
    if (refusal.isPresent()) {
      throw refusal(424, null, refusal.get());
    }
  }

  void dependencies(Ncm ncm) throws NcmException {
    for (Dependency wanted : ncm.dependencies()) {
      Optional<String> missing = facts.profile().missing(wanted);
      if (missing.isPresent()) {
        throw refusal(424, Header.DEPENDENCIES, missing.get());
      }
    }
  }

  List<FlowFilter> policy(Ncm ncm, Publisher publisher, DesiredState state) throws NcmException {
    if (ncm.version() == null) {
      throw refusal(400, null, "request line: SETUP needs the version of the module");
    }
    index(publisher, state);
    List<FlowFilter> filters = publisher.authorise(ncm);
    boolean another = later(ncm) || state.module(key(ncm)).isEmpty();
    if (another && others(ncm, state) >= publisher.maxModules()) {
      limits.met(publisher.name(), Limit.MODULES, 1, "" + publisher.maxModules());
      throw refusal(403, null, OVER + "at most " + publisher.maxModules() + " modules at a time");
    }
    return filters;
  }

  /**
   * Returns how many modules and fetched bundles the publisher has besides those that the SETUP
   * replaces or is about. A bundle of which a module runs counts once.
   */
  private static long others(Ncm ncm, DesiredState state) {
    String user = ncm.get(Header.USER);
    String digest = ncm.digest().orElse("");
    long modules =
        state.modulesOf(user).stream()
            .filter(m -> !(m.key().equals(key(ncm)) && digest.equals(m.current().sha256())))
            .count();
    long bundles =
        state.bundlesOf(user).stream()
            .filter(b -> !state.runs(b))
            .filter(b -> !b.key().equals(key(ncm)) || !(later(ncm) || digest.equals(b.sha256())))
            .count();
    return modules + bundles;
  }

  /**
   * Refuses filters that count where the kernel cannot count, because a module with nothing else is
   * of no use.
   */
  void counting(ModuleOrder order) throws NcmException {
    Optional<String> refusal = counting.refusalOf(order.key(), order.filters());
    if (refusal.isPresent()) {
      throw refusal(424, Header.FILTER_COUNT, refusal.get());
    }
  }

  /**
   * Requires the container index that was given to the publisher. An index is a uid, a directory
   * and a queue, so its first owner keeps it, whatever the policy files say now.
   */
  private static void index(Publisher publisher, DesiredState state) throws NcmException {
    Optional<String> owner = state.userOf(publisher.index());
    boolean foreign = owner.isPresent() && !owner.get().equals(publisher.name());
    OptionalInt given = state.index(publisher.name());
    if (foreign || (given.isPresent() && given.getAsInt() != publisher.index())) {
      String whose =
          foreign
              ? "belongs to " + owner.get()
              : "is not " + given.getAsInt() + ", which was given to it";
      throw refusal(403, Header.USER, "policy: container index " + publisher.index() + " " + whose);
    }
  }

  /**
   * Refuses the present version with another bundle, which is neither a refresh nor a new version.
   */
  void sameBundle(Ncm ncm, DesiredState state) throws NcmException {
    Optional<DesiredModule> module = state.module(key(ncm));
    if (module.isEmpty()
        || !module.get().current().version().equals(ncm.version())
        || ncm.digest().isEmpty()) {
      return;
    }
    String here = module.get().current().sha256();
    if (here != null && !here.equals(ncm.digest().get())) {
      throw refusal(
          409,
          Header.DIGEST,
          "version "
              + ncm.version()
              + " is here with digest "
              + here
              + "; another bundle needs another version");
    }
  }

  /** Requires that a module or fetched bundle and a claim exist that a REMOVE is to remove. */
  void present(Ncm ncm, String session, DesiredState state) throws NcmException {
    String user = ncm.get(Header.USER);
    if (ncm.name().equals("*")) {
      if (state.modulesOf(user).isEmpty() && state.bundlesOf(user).isEmpty()) {
        throw refusal(404, null, "this publisher has no module here");
      }
      return;
    }
    if (claimed(ncm, state).isPresent()) {
      return;
    }
    Optional<DesiredModule> found = state.module(key(ncm));
    if (found.isEmpty() && state.bundle(key(ncm)).isPresent()) {
      throw refusal(
          404, null, "session " + session + " has no claim on that version of " + ncm.name());
    }
    DesiredModule module =
        found.orElseThrow(() -> refusal(404, null, "there is no module " + ncm.name() + " here"));
    if (!means(ncm, module.current().version())) {
      throw refusal(
          404, null, "version " + module.current().version() + " is here, not " + ncm.version());
    }
    if (module.claim(session).isEmpty()) {
      throw refusal(
          404,
          ncm.has(Header.TO) ? Header.TO : null,
          "session " + session + " has no claim on it; others have " + module.claims().size());
    }
  }

  /** Returns the fetched bundle that a message means and that its session has a claim on. */
  static Optional<FetchedBundle> claimed(Ncm ncm, DesiredState state) {
    return state
        .bundle(key(ncm))
        .filter(bundle -> means(ncm, bundle.version()))
        .filter(bundle -> bundle.claim(session(ncm)).isPresent());
  }

  /** Returns true if a message is about that version, or about all. */
  static boolean means(Ncm ncm, String version) {
    return ncm.version() == null || ncm.version().equals(version);
  }

  /** Returns true if a SETUP has its bundle fetched only. */
  static boolean later(Ncm ncm) {
    return ncm.activate() == Activate.LATER;
  }

  static ModuleKey key(Ncm ncm) {
    return new ModuleKey(ncm.get(Header.USER), ncm.name());
  }

  /**
   * Returns the session of the claim. There is one session for each flow destination of a publisher
   * and of each of its delegates, and one for all messages without a destination.
   */
  static String session(Ncm ncm) {
    String to = ncm.has(Header.TO) ? ncm.get(Header.TO) : "legacy";
    return to + mark(ncm);
  }

  private static String mark(Ncm ncm) {
    Delegate delegate = Delegates.of(ncm);
    return delegate == null ? "" : delegate.mark();
  }

  static boolean setup(Ncm ncm) {
    return ncm.method() == Method.SETUP;
  }

  static NcmException refusal(int status, Header header, String reason) {
    return new NcmException(status, header, reason);
  }
}
