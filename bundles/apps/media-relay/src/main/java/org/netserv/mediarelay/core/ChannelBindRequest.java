// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.netserv.packet.Tally;
import org.netserv.stun.ChannelNumber;
import org.netserv.stun.StunAttribute;

/** The ChannelBind request, RFC 8656 section 12.2. */
final class ChannelBindRequest {
  static final Set<StunAttribute> KNOWN =
      EnumSet.of(StunAttribute.CHANNEL_NUMBER, StunAttribute.XOR_PEER_ADDRESS);

  private final Allocations allocations;
  private final PeerRules rules;
  private final Tally<Why> tally;
  private final List<Function<Exchange, Why>> steps =
      List.of(this::number, this::address, this::boundElsewhere, this::peer, this::room);
  private int number;
  private Channel bound;

  ChannelBindRequest(Allocations allocations, PeerRules rules, Tally<Why> tally) {
    this.allocations = allocations;
    this.rules = rules;
    this.tally = tally;
  }

  /** Binds or refreshes. Returns why it is refused, null = the answer has the success. */
  Why handle(Exchange x) {
    for (int i = 0; i < steps.size(); i++) {
      Why why = steps.get(i).apply(x);
      if (why != null) {
        return why;
      }
    }
    Allocation of = x.allocation;
    of.permissions().permit(x.address.high(), x.address.low(), x.now);
    if (bound == null) {
      bound = of.channels().add(number, x.address.high(), x.address.low(), x.address.port(), x.now);
    } else {
      bound.refresh(x.now);
    }
    allocations.watch().bound(of, bound);
    tally.count(Why.BOUND);
    return null;
  }

  private Why number(Exchange x) {
    number = ChannelNumber.get(x.request);
    int last = allocations.limits().legacyChannels() ? Channel.LAST_LEGACY : Channel.LAST;
    return number >= Channel.FIRST && number <= last ? null : Why.BAD_REQUEST;
  }

  private Why address(Exchange x) {
    if (!x.address.get(x.request, StunAttribute.XOR_PEER_ADDRESS) || x.allocation.isTcp()) {
      return Why.BAD_REQUEST;
    }
    return null;
  }

  /** The number has no other peer, and the peer no other number. */
  private Why boundElsewhere(Exchange x) {
    Allocation of = x.allocation;
    of.channels().forget(x.now, channel -> allocations.watch().unbound(of, channel));
    bound = of.channels().numbered(number, x.now);
    Channel to = of.channels().to(x.address.high(), x.address.low(), x.address.port(), x.now);
    return bound == to ? null : Why.BAD_REQUEST;
  }

  private Why peer(Exchange x) {
    if (!x.allocation.has(Ip.family(x.address.high(), x.address.low()))) {
      return Why.PEER_FAMILY;
    }
    return rules.refusal(x.address.high(), x.address.low(), x.address.port());
  }

  private Why room(Exchange x) {
    if (bound != null) {
      return null;
    }
    if (x.allocation.channels().isFull()) {
      return Why.CHANNELS_FULL;
    }
    boolean permitted = x.allocation.permissions().has(x.address.high(), x.address.low());
    return permitted || x.allocation.permissions().fits(1, x.now) ? null : Why.PERMISSIONS_FULL;
  }
}
