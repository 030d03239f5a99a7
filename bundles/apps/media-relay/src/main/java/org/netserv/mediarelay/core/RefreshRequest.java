// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.EnumSet;
import java.util.Set;
import org.netserv.mediarelay.core.AllocationState.Event;
import org.netserv.packet.Tally;
import org.netserv.stun.AddressFamily;
import org.netserv.stun.Lifetime;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunBytes;

/** The Refresh request, RFC 8656 section 8.2, and RFC 8016 section 3.2 for one with a ticket. */
final class RefreshRequest {
  static final Set<StunAttribute> KNOWN =
      EnumSet.of(
          StunAttribute.LIFETIME,
          StunAttribute.REQUESTED_ADDRESS_FAMILY,
          StunAttribute.MOBILITY_TICKET);

  private final Allocations allocations;
  private final Tally<Why> tally;

  RefreshRequest(Allocations allocations, Tally<Why> tally) {
    this.allocations = allocations;
    this.tally = tally;
  }

  /** Refreshes, deletes or moves. Returns why it is refused, null = the answer has the success. */
  Why handle(Exchange x) {
    Why why = x.request.has(StunAttribute.MOBILITY_TICKET) ? move(x) : null;
    if (why != null) {
      return why;
    }
    if (x.allocation == null) {
      return Why.NO_ALLOCATION;
    }
    int asked = AddressFamily.get(x.request, StunAttribute.REQUESTED_ADDRESS_FAMILY);
    boolean four = asked < 0 ? x.allocation.has(4) : asked == AddressFamily.IPV4;
    boolean six = asked < 0 ? x.allocation.has(6) : asked == AddressFamily.IPV6;
    boolean missing = (four && !x.allocation.has(4)) || (six && !x.allocation.has(6));
    if (missing || !(four || six)) {
      return Why.PEER_FAMILY;
    }
    long lifetime = Lifetime.get(x.request);
    return lifetime == 0 ? delete(x, four, six) : refresh(x, four, six, lifetime);
  }

  /** Finds the allocation by its ticket, and gives it this client's 5-tuple. */
  private Why move(Exchange x) {
    if (!allocations.limits().mobility()) {
      return Why.MOBILITY_FORBIDDEN;
    }
    Allocation of =
        allocations.tickets().find(StunBytes.copy(x.request, StunAttribute.MOBILITY_TICKET));
    if (of == null) {
      return Why.BAD_TICKET;
    }
    if (!of.isOf(x)) {
      return Why.MOBILITY_FORBIDDEN;
    }
    if (x.allocation == of) {
      return null; // it has not moved, or the answer was lost
    }
    if (x.allocation != null) {
      return Why.ALLOCATION_EXISTS;
    }
    if (!allocations.move(of, x.client)) {
      return Why.BAD_TICKET;
    }
    tally.count(Why.MOVED);
    x.allocation = of;
    return null;
  }

  private Why refresh(Exchange x, boolean four, boolean six, long lifetime) {
    Allocation of = x.allocation;
    if (!of.on(Event.REFRESH)) {
      return Why.NO_ALLOCATION;
    }
    if (x.login.isToken()) {
      of.authorize(x.login, x.now);
    }
    int seconds = of.allowed(allocations.limits().lifetime(lifetime), x.now);
    if (four) {
      allocations.live(of, 4, seconds, x.now);
    }
    if (six) {
      allocations.live(of, 6, seconds, x.now);
    }
    of.settle();
    tally.count(Why.REFRESHED);
    Lifetime.put(x.answer, seconds);
    if (x.request.has(StunAttribute.MOBILITY_TICKET)) {
      StunBytes.put(x.answer, StunAttribute.MOBILITY_TICKET, allocations.tickets().next(of));
    }
    return null;
  }

  private Why delete(Exchange x, boolean four, boolean six) {
    Allocation of = x.allocation;
    if (four) {
      allocations.end(of, 4, Event.DELETE, Why.DELETED);
    }
    if (six) {
      allocations.end(of, 6, Event.DELETE, Why.DELETED);
    }
    Lifetime.put(x.answer, 0);
    return null;
  }
}
