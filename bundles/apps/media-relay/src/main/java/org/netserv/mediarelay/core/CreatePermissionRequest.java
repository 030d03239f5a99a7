// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.EnumSet;
import java.util.Set;
import org.netserv.packet.Tally;
import org.netserv.stun.StunAttribute;

/** The CreatePermission request, RFC 8656 section 10.2. All of its peers get one, or none. */
final class CreatePermissionRequest {
  static final Set<StunAttribute> KNOWN = EnumSet.of(StunAttribute.XOR_PEER_ADDRESS);

  private final Allocations watched;
  private final PeerRules rules;
  private final Tally<Why> tally;

  CreatePermissionRequest(Allocations watched, PeerRules rules, Tally<Why> tally) {
    this.watched = watched;
    this.rules = rules;
    this.tally = tally;
  }

  /** Permits. Returns why it is refused, null = the answer has the success. */
  Why handle(Exchange x) {
    int first = x.request.find(StunAttribute.XOR_PEER_ADDRESS);
    if (first < 0) {
      return Why.BAD_REQUEST;
    }
    int more = 0;
    for (int at = first; at >= 0; at = x.request.next(at)) {
      Why why = peer(x, at);
      if (why != null) {
        return why;
      }
      if (!x.allocation.permissions().has(x.address.high(), x.address.low())) {
        more++;
      }
    }
    if (!x.allocation.permissions().fits(more, x.now)) {
      return Why.PERMISSIONS_FULL;
    }
    for (int at = first; at >= 0; at = x.request.next(at)) {
      x.address.get(x.request, at);
      x.allocation.permissions().permit(x.address.high(), x.address.low(), x.now);
      watched.watch().permitted(x.allocation, x.address.high(), x.address.low());
    }
    tally.count(Why.PERMITTED);
    return null;
  }

  private Why peer(Exchange x, int at) {
    if (!x.address.get(x.request, at)) {
      return Why.BAD_REQUEST;
    }
    if (!x.allocation.has(Ip.family(x.address.high(), x.address.low()))) {
      return Why.PEER_FAMILY;
    }
    return rules.refusal(x.address.high(), x.address.low());
  }
}
