// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.registration.RegistrationDesk;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.ServiceTable;
import org.netserv.serval.table.TableRefusal;
import org.netserv.serval.table.Target;

/** The rules that hosts register by a signature. A rule's origin is the key. */
final class SignedRegistrations implements RegistrationDesk.Rules {
  /** Begins the name of the origin of such a rule. */
  static final String KEY = "key ";

  private static final long MILLIS = 1000;

  private final ServiceTable table;
  private final Plan plan;
  private final Tally<Outcome> tally;
  private final RegistrationDesk desk;
  private long now;

  SignedRegistrations(ServiceTable table, Plan plan, RandomGenerator random, Tally<Outcome> tally) {
    this.table = table;
    this.plan = plan;
    this.tally = tally;
    desk = new RegistrationDesk(plan.signed(), this, random, new FastCurve25519());
  }

  /**
   * Takes a message for which {@link RegistrationDesk#isFor} is true. Returns the answer, null if
   * the router takes no signed registrations.
   */
  ByteBuffer take(ByteBuffer bytes, int first, int stop, Endpoint host, long at) {
    if (plan.signed().prefixes().isEmpty()) {
      tally.count(Outcome.REGISTRATION_OUTSIDE);
      return null;
    }
    now = at;
    ByteBuffer answer =
        desk.take(bytes, first, stop, host, at, System.currentTimeMillis() / MILLIS);
    tally.count(desk.outcome() == null ? Outcome.SIGNED_CHALLENGED : Outcome.of(desk.outcome()));
    return answer;
  }

  /** Returns the prefix whose rule the last message made or prolonged, null if it did not. */
  ServicePrefix changed() {
    return desk.changed();
  }

  private Rule rule(ServicePrefix prefix, Endpoint target, int weight, String owner, long until) {
    return new Rule(
        prefix,
        RuleAction.FORWARD,
        Target.address(target),
        new Rank(0, plan.registered().priority()),
        weight,
        new Origin(Origin.Kind.REGISTRATION, KEY + owner),
        until);
  }

  @Override
  public boolean put(ServicePrefix prefix, Endpoint target, int weight, String owner, long until) {
    TableRefusal refusal = table.add(rule(prefix, target, weight, owner, until), now);
    tally.count(Outcome.of(refusal));
    return refusal == TableRefusal.OK;
  }

  @Override
  public void remove(ServicePrefix prefix, Endpoint target, String owner) {
    boolean was = table.withdraw(rule(prefix, target, 0, owner, Rule.FOREVER));
    tally.count(was ? Outcome.REGISTRATION_WITHDRAWN : Outcome.REGISTRATION_UNKNOWN);
  }
}
