// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.netserv.controller.log.Delegate;
import org.netserv.controller.log.DesiredModule;
import org.netserv.controller.log.DesiredState;
import org.netserv.controller.log.FetchedBundle;
import org.netserv.controller.log.StateImage;
import org.netserv.ncm.Delegation;
import org.netserv.ncm.DelegationCheck;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.Revocation;
import org.netserv.process.RateLimit;
import org.netserv.process.SourceKey;

/**
 * The questions that a message of a delegate has to pass besides those to its publisher. First: is
 * it a delegate of this publisher, now? Later: is the message within the bounds of the delegation?
 */
final class Delegates {
  /** PROBEs a minute by one delegate. */
  static final int PROBES_PER_MINUTE = 30;

  /** Claims of one delegate on one module. */
  static final int CLAIMS_MAX = 16;

  /** Revocations of one publisher that are remembered. */
  static final int REVOCATIONS_MAX = 1024;

  /** Claims that an answer to PROBE lists. */
  private static final int LISTED = 16;

  private final Publishers publishers;
  private final NcmAdmission admission;
  private final RateLimit probes = new RateLimit();
  private final RateLimit changes = new RateLimit();
  private final CountedOnce counted = new CountedOnce();

  Delegates(Publishers publishers, NcmAdmission admission) {
    this.publishers = publishers;
    this.admission = admission;
  }

  /** Returns the delegate that has signed a message; null if its publisher has. */
  static Delegate of(Ncm ncm) {
    return ncm.delegation().map(d -> new Delegate(d.id(), d.serial())).orElse(null);
  }

  /** Accepts a message as signed by a delegate of its publisher. */
  void authentic(
      Ncm ncm, Publisher publisher, Optional<Origin> origin, DesiredState state, Clocks now)
      throws NcmException {
    Delegation delegation = ncm.delegation().orElseThrow();
    DelegationGrant grant =
        publisher
            .delegation()
            .orElseThrow(() -> no(403, "this node takes no delegates of " + publisher.name()));
    if (!delegation.user().equals(publisher.name())) {
      throw no(403, "issued by " + delegation.user() + ", not by " + publisher.name());
    }
    admission.signed(
        () -> publisher.keys().stream().anyMatch(key -> Signatures.issued(delegation, key)),
        Header.DELEGATION,
        "no key registered for this publisher has issued it",
        origin,
        now.monotonic());
    admission.signed(
        () -> Signatures.verifies(ncm, delegation.key()),
        Header.DELEGATION,
        "the message is not signed by the key that it is issued to",
        origin,
        now.monotonic());
    alive(delegation, grant, now.wall());
    for (String item : List.of(delegation.serial(), Revocation.ofKey(delegation.id()))) {
      if (grant.revoked().contains(item) || state.revoked(publisher.name(), item)) {
        throw no(403, "revoked: " + item);
      }
    }
  }

  /** The clocks of this node, in milliseconds. */
  record Clocks(long wall, long monotonic) {}

  /** Requires the clock within its life. The beginning may be as far ahead as a date may. */
  private void alive(Delegation delegation, DelegationGrant grant, long wall) throws NcmException {
    Instant clock = Instant.ofEpochSecond(wall / 1000);
    if (!clock.isBefore(delegation.notAfter())) {
      throw no(403, "expired at " + delegation.notAfter() + ", this node's clock is " + clock);
    }
    if (clock.plusMillis(publishers.window()).isBefore(delegation.notBefore())) {
      throw no(403, "begins at " + delegation.notBefore() + ", this node's clock is " + clock);
    }
    long life = delegation.notAfter().getEpochSecond() - delegation.notBefore().getEpochSecond();
    if (life > grant.maxLifetime()) {
      throw no(403, "lives " + life + " s, this node takes " + grant.maxLifetime() + " s at most");
    }
  }

  /**
   * Requires a message within the bounds of its delegation and the rate of its delegate.
   *
   * @param bytes digest of the message. A copy is not counted again.
   */
  void within(NcmRequest request, Publisher publisher, String bytes, long monotonic)
      throws NcmException {
    Ncm ncm = request.ncm();
    Delegation delegation = ncm.delegation().orElseThrow();
    rate(ncm, delegation, publisher, bytes, monotonic);
    Optional<InetAddress> source = request.origin().map(Origin::flow);
    boolean proven =
        request.origin().filter(o -> o.peer().equals(SourceKey.of(o.flow()))).isPresent();
    DelegationCheck.require(delegation.bounds(), ncm, source, proven);
  }

  private void rate(
      Ncm ncm, Delegation delegation, Publisher publisher, String bytes, long monotonic)
      throws NcmException {
    String name = publisher.name() + " " + delegation.id();
    if (!counted.first(name + " " + bytes)) {
      return;
    }
    boolean probe = ncm.method() == Method.PROBE;
    int limit =
        probe
            ? PROBES_PER_MINUTE
            : publisher.delegation().map(DelegationGrant::setupsPerMinute).orElse(1);
    if (!(probe ? probes : changes).take(name, limit, monotonic)) {
      counted.forget(name + " " + bytes);
      String what = probe ? " PROBEs" : " SETUPs and REMOVEs";
      throw no(429, "more than " + limit + what + " a minute by this delegate");
    }
  }

  /**
   * Refuses a SETUP of a delegate that would replace a version, and the claim that is one too many.
   */
  static void claimable(Ncm ncm, Optional<DesiredModule> present) throws NcmException {
    if (!ncm.has(Header.DELEGATION) || present.isEmpty()) {
      return;
    }
    DesiredModule module = present.get();
    String here = module.current().version();
    if (!here.equals(ncm.version())) {
      throw no(409, "version " + here + " is here, and a delegate replaces none");
    }
    String id = of(ncm).id();
    long held =
        module.claims().stream()
            .filter(c -> c.delegate() != null && c.delegate().id().equals(id))
            .count();
    if (held >= CLAIMS_MAX && module.claim(NcmAdmission.session(ncm)).isEmpty()) {
      throw no(403, "this delegate has " + held + " claims on " + ncm.name() + " already");
    }
  }

  /** Refuses revocations beyond those that this node remembers. */
  static void revocable(Ncm ncm, DesiredState state) throws NcmException {
    String user = ncm.get(Header.USER);
    long fresh = ncm.revoked().stream().filter(item -> !state.revoked(user, item)).count();
    if (state.revocationsOf(user) + fresh > REVOCATIONS_MAX) {
      throw NcmAdmission.refusal(
          403, Header.REVOKE, "this node remembers " + REVOCATIONS_MAX + " of a publisher at most");
    }
  }

  /**
   * Adds the claims on a module, or on a fetched bundle without a module, to the answer about it:
   * all, or a delegate's own.
   */
  static void report(ObjectNode data, Ncm ncm, DesiredState state) {
    if (!(data.get("module") instanceof ObjectNode answer)) {
      return;
    }
    List<StateImage.Claim> claims =
        state
            .module(NcmAdmission.key(ncm))
            .map(DesiredModule::claims)
            .or(() -> state.bundle(NcmAdmission.key(ncm)).map(FetchedBundle::claims))
            .orElse(List.of());
    Delegate asking = of(ncm);
    if (asking == null) {
      answer.put("claims", claims.size());
    }
    ArrayNode delegates = answer.putArray("delegates");
    claims.stream()
        .filter(c -> c.delegate() != null)
        .filter(c -> asking == null || c.delegate().id().equals(asking.id()))
        .limit(LISTED)
        .forEach(
            c ->
                delegates
                    .addObject()
                    .put("id", c.delegate().id())
                    .put("serial", c.delegate().serial())
                    .put("to", c.session().substring(0, Math.max(0, c.session().indexOf(' ')))));
  }

  private static NcmException no(int status, String reason) {
    return NcmAdmission.refusal(status, Header.DELEGATION, reason);
  }
}
