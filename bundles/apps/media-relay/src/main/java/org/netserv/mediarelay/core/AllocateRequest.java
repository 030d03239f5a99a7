// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.netserv.packet.Tally;
import org.netserv.stun.AddressFamily;
import org.netserv.stun.DontFragment;
import org.netserv.stun.ErrorCode;
import org.netserv.stun.EvenPort;
import org.netserv.stun.Lifetime;
import org.netserv.stun.RequestedTransport;
import org.netserv.stun.ReservationToken;
import org.netserv.stun.StunAddress;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunBytes;
import org.netserv.stun.StunMessage;

/** The Allocate request, by the steps of RFC 8656 section 7.2. Step 1 is authentication. */
final class AllocateRequest {
  /** The attributes that the method understands, besides those of credentials. */
  static final Set<StunAttribute> KNOWN =
      EnumSet.of(
          StunAttribute.REQUESTED_TRANSPORT,
          StunAttribute.DONT_FRAGMENT,
          StunAttribute.RESERVATION_TOKEN,
          StunAttribute.EVEN_PORT,
          StunAttribute.REQUESTED_ADDRESS_FAMILY,
          StunAttribute.ADDITIONAL_ADDRESS_FAMILY,
          StunAttribute.ADDITIONAL_ADDRESS_FAMILY_DRAFT,
          StunAttribute.LIFETIME,
          StunAttribute.MOBILITY_TICKET);

  private final Allocations allocations;
  private final Tally<Why> tally;
  private final List<Function<Exchange, Why>> steps =
      List.of(
          this::transport,
          this::reservation,
          this::oneFamilyAttribute,
          this::family,
          this::evenPort,
          this::additionalFamily,
          this::mobility,
          this::quota);
  private boolean draining;
  private boolean tcp;
  private boolean four;
  private boolean six;
  private boolean mobile;
  private Why partial;

  AllocateRequest(Allocations allocations, Tally<Why> tally) {
    this.allocations = allocations;
    this.tally = tally;
  }

  /** From now on no allocation is made. */
  void drain() {
    draining = true;
  }

  /**
   * Makes an allocation, or answers a retransmission. Returns why it is refused, null = the answer
   * has the success.
   */
  Why handle(Exchange x) {
    if (x.allocation != null) {
      return exists(x);
    }
    for (int i = 0; i < steps.size(); i++) {
      Why why = steps.get(i).apply(x);
      if (why != null) {
        return why;
      }
    }
    return create(x);
  }

  /** Step 2: the 5-tuple is in use. The same transaction is a retransmission. */
  private Why exists(Exchange x) {
    Allocation there = x.allocation;
    if (there.transaction() != x.request.transactionLow()) {
      return Why.ALLOCATION_EXISTS;
    }
    tally.count(Why.ALLOCATED_AGAIN);
    succeed(x, there, null);
    return null;
  }

  /** Step 3: REQUESTED-TRANSPORT, with TCP by RFC 6062 section 5.1. */
  private Why transport(Exchange x) {
    int transport = RequestedTransport.get(x.request);
    if (transport < 0) {
      return Why.BAD_REQUEST;
    }
    tcp = transport == RequestedTransport.TCP;
    if (!tcp) {
      return transport == RequestedTransport.UDP ? null : Why.TRANSPORT_UNSUPPORTED;
    }
    if (!allocations.ports().hasTcp()) {
      return Why.TRANSPORT_UNSUPPORTED;
    }
    boolean datagramsOnly =
        EvenPort.isPresent(x.request)
            || DontFragment.isPresent(x.request)
            || ReservationToken.isPresent(x.request);
    return datagramsOnly || !x.client.transport().isStream() ? Why.BAD_REQUEST : null;
  }

  /** Step 5: RESERVATION-TOKEN is alone, and known. */
  private Why reservation(Exchange x) {
    if (!ReservationToken.isPresent(x.request)) {
      return null;
    }
    if (EvenPort.isPresent(x.request)
        || x.request.has(StunAttribute.REQUESTED_ADDRESS_FAMILY)
        || isDual(x.request)) {
      return Why.BAD_REQUEST;
    }
    return allocations.reservedFamily(ReservationToken.get(x.request)) == 0
        ? Why.NO_RESERVATION
        : null;
  }

  /** Step 6: not both of the attributes of address families. */
  private Why oneFamilyAttribute(Exchange x) {
    return x.request.has(StunAttribute.REQUESTED_ADDRESS_FAMILY) && isDual(x.request)
        ? Why.BAD_REQUEST
        : null;
  }

  /** Step 7: the requested family, IPv4 without a wish. */
  private Why family(Exchange x) {
    int asked = AddressFamily.get(x.request, StunAttribute.REQUESTED_ADDRESS_FAMILY);
    if (asked >= 0 && asked != AddressFamily.IPV4 && asked != AddressFamily.IPV6) {
      return Why.FAMILY_UNSUPPORTED;
    }
    six = asked == AddressFamily.IPV6;
    four = !six;
    partial = null;
    if (ReservationToken.isPresent(x.request)) {
      return null;
    }
    if (isDual(x.request)) {
      return null; // step 9
    }
    return allocations.ports().has(tcp, six ? 6 : 4) ? null : Why.FAMILY_UNSUPPORTED;
  }

  /** Step 8: EVEN-PORT that reserves the next port is not for a dual allocation. */
  private Why evenPort(Exchange x) {
    return EvenPort.reserves(x.request) && isDual(x.request) ? Why.BAD_REQUEST : null;
  }

  /** Step 9: a dual allocation, perhaps of one family only. */
  private Why additionalFamily(Exchange x) {
    if (!isDual(x.request)) {
      return null;
    }
    if (AddressFamily.get(x.request, additional(x.request)) != AddressFamily.IPV6) {
      return Why.BAD_REQUEST;
    }
    four = allocations.ports().has(tcp, 4);
    six = allocations.ports().has(tcp, 6);
    if (!four || !six) {
      partial = Why.FAMILY_UNSUPPORTED;
    }
    return four || six ? null : Why.FAMILY_UNSUPPORTED;
  }

  /** RFC 8016 section 3.1: a client that may move sends an empty ticket. */
  private Why mobility(Exchange x) {
    int at = x.request.find(StunAttribute.MOBILITY_TICKET);
    mobile = at >= 0;
    if (!mobile) {
      return null;
    }
    if (x.request.length(at) != 0) {
      return Why.BAD_REQUEST;
    }
    return allocations.limits().mobility() ? null : Why.MOBILITY_FORBIDDEN;
  }

  /** Step 10, and the relay's own limits. */
  private Why quota(Exchange x) {
    if (draining) {
      return Why.DRAINING;
    }
    if (allocations.count() >= allocations.limits().allocations()) {
      return Why.FULL;
    }
    if (x.login.isToken()) {
      return null; // whoever has made tokens counts its users
    }
    int has = allocations.accounts().of(x.user).allocations();
    return has >= allocations.limits().userAllocations() ? Why.USER_QUOTA : null;
  }

  private Why create(Exchange x) {
    Allocation made = allocations.make(x, tcp, mobile);
    Why why = relay(x, made);
    if (why != null) {
      allocations.discard(made);
      return why;
    }
    int seconds = made.allowed(allocations.limits().lifetime(Lifetime.get(x.request)), x.now);
    allocations.live(made, 4, seconds, x.now);
    allocations.live(made, 6, seconds, x.now);
    allocations.add(made);
    tally.count(Why.ALLOCATED);
    succeed(x, made, mobile ? allocations.tickets().next(made) : null);
    return null;
  }

  private Why relay(Exchange x, Allocation made) {
    boolean whole = DontFragment.isPresent(x.request);
    if (ReservationToken.isPresent(x.request)) {
      return allocations.relayReserved(made, ReservationToken.get(x.request), whole);
    }
    boolean even = EvenPort.isPresent(x.request);
    boolean pair = EvenPort.reserves(x.request);
    Why first = four ? allocations.relay(made, 4, even, pair, whole, x.now) : null;
    Why second = six ? allocations.relay(made, 6, even, pair, whole, x.now) : null;
    if (four && six && (first == null || second == null)) {
      partial = first != null ? first : second != null ? second : partial;
      return null;
    }
    return first != null ? first : second;
  }

  private void succeed(Exchange x, Allocation made, byte[] ticket) {
    for (int family = 4; family <= 6; family += 2) {
      RelayedRange range = allocations.ports().range(made.isTcp(), family);
      if (made.has(family)) {
        StunAddress.put(
            x.answer,
            StunAttribute.XOR_RELAYED_ADDRESS,
            range.high(),
            range.low(),
            made.port(family));
      }
    }
    StunAddress.put(
        x.answer,
        StunAttribute.XOR_MAPPED_ADDRESS,
        x.client.high(),
        x.client.low(),
        x.client.port());
    Lifetime.put(x.answer, made.secondsLeft(x.now));
    if (made.reservation() != 0) {
      ReservationToken.put(x.answer, made.reservation());
    }
    if (ticket != null) {
      StunBytes.put(x.answer, StunAttribute.MOBILITY_TICKET, ticket);
    }
    if (isDual(x.request) && partial != null) {
      int missing = made.has(4) ? AddressFamily.IPV6 : AddressFamily.IPV4;
      ErrorCode.putOfAddress(x.answer, missing, partial.status());
    }
  }

  private static boolean isDual(StunMessage request) {
    return request.has(additional(request));
  }

  /**
   * Returns the attribute by its number of RFC 8656, or by that of the drafts if only this is
   * there.
   */
  private static StunAttribute additional(StunMessage request) {
    return request.has(StunAttribute.ADDITIONAL_ADDRESS_FAMILY)
        ? StunAttribute.ADDITIONAL_ADDRESS_FAMILY
        : StunAttribute.ADDITIONAL_ADDRESS_FAMILY_DRAFT;
  }
}
