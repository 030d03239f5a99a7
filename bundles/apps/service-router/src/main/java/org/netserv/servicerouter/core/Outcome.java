// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.netserv.serval.ServalError;
import org.netserv.serval.registration.RegistrationRefusal;
import org.netserv.serval.table.ForwardVerdict;
import org.netserv.serval.table.HoldRefusal;
import org.netserv.serval.table.TableRefusal;

/**
 * The outcome of a packet, of a rule or of a registration. Its name is the name of a counter. Those
 * of the block serval begin with the name of their layer.
 */
public enum Outcome {
  // a packet's faults
  PACKET_RANGE(ServalError.RANGE, ServalError.RANGE.text()),
  PACKET_SHORT(ServalError.SHORT, ServalError.SHORT.text()),
  PACKET_HEADER_LENGTH(ServalError.HEADER_LENGTH, ServalError.HEADER_LENGTH.text()),
  PACKET_HEADER_CUT(ServalError.HEADER_CUT, ServalError.HEADER_CUT.text()),
  PACKET_CHECKSUM(ServalError.CHECKSUM, ServalError.CHECKSUM.text()),
  PACKET_EXTENSION_CUT(ServalError.EXTENSION_CUT, ServalError.EXTENSION_CUT.text()),
  PACKET_EXTENSION_LENGTH(ServalError.EXTENSION_LENGTH, ServalError.EXTENSION_LENGTH.text()),
  PACKET_EXTENSION_COUNT(ServalError.EXTENSION_COUNT, ServalError.EXTENSION_COUNT.text()),
  PACKET_CONTROL_PLACE(ServalError.CONTROL_PLACE, ServalError.CONTROL_PLACE.text()),
  PACKET_CONTROL_REPEATED(ServalError.CONTROL_REPEATED, ServalError.CONTROL_REPEATED.text()),
  PACKET_SERVICE_REPEATED(ServalError.SERVICE_REPEATED, ServalError.SERVICE_REPEATED.text()),
  PACKET_ADDRESS_REPEATED(ServalError.ADDRESS_REPEATED, ServalError.ADDRESS_REPEATED.text()),
  PACKET_SOURCE_REPEATED(ServalError.SOURCE_REPEATED, ServalError.SOURCE_REPEATED.text()),
  PACKET_CAPABILITY_REPEATED(
      ServalError.CAPABILITY_REPEATED, ServalError.CAPABILITY_REPEATED.text()),
  PACKET_HOPS_REPEATED(ServalError.HOPS_REPEATED, ServalError.HOPS_REPEATED.text()),
  PACKET_TICKETS_REPEATED(ServalError.TICKETS_REPEATED, ServalError.TICKETS_REPEATED.text()),

  // the decision about a packet
  FORWARD_FORWARD(ForwardVerdict.FORWARD, ForwardVerdict.FORWARD.text()),
  FORWARD_DELIVER(ForwardVerdict.DELIVER, ForwardVerdict.DELIVER.text()),
  FORWARD_HOLD(ForwardVerdict.HOLD, ForwardVerdict.HOLD.text()),
  FORWARD_NO_SERVICE(ForwardVerdict.NO_SERVICE, ForwardVerdict.NO_SERVICE.text()),
  FORWARD_NO_RULE(ForwardVerdict.NO_RULE, ForwardVerdict.NO_RULE.text()),
  FORWARD_RULE_DROPS(ForwardVerdict.RULE_DROPS, ForwardVerdict.RULE_DROPS.text()),
  FORWARD_ONTO_ITSELF(ForwardVerdict.ONTO_ITSELF, ForwardVerdict.ONTO_ITSELF.text()),
  FORWARD_LOOP(ForwardVerdict.LOOP, ForwardVerdict.LOOP.text()),
  FORWARD_TOO_MANY_HOPS(ForwardVerdict.TOO_MANY_HOPS, ForwardVerdict.TOO_MANY_HOPS.text()),
  FORWARD_BROADCAST(ForwardVerdict.BROADCAST, ForwardVerdict.BROADCAST.text()),
  FORWARD_TTL(ForwardVerdict.TTL, ForwardVerdict.TTL.text()),
  FORWARD_FAMILY(ForwardVerdict.FAMILY, ForwardVerdict.FAMILY.text()),

  // a packet that a DELAY should hold
  HOLD_OK(HoldRefusal.OK, HoldRefusal.OK.text()),
  HOLD_FULL(HoldRefusal.FULL, HoldRefusal.FULL.text()),
  HOLD_ID_FULL(HoldRefusal.ID_FULL, HoldRefusal.ID_FULL.text()),
  HOLD_SOURCE_FULL(HoldRefusal.SOURCE_FULL, HoldRefusal.SOURCE_FULL.text()),
  HOLD_LATE(HoldRefusal.LATE, HoldRefusal.LATE.text()),

  // a rule of a registration
  RULE_OK(TableRefusal.OK, TableRefusal.OK.text()),
  RULE_TARGET(TableRefusal.TARGET, TableRefusal.TARGET.text()),
  RULE_WEIGHT(TableRefusal.WEIGHT, TableRefusal.WEIGHT.text()),
  RULE_ENDED(TableRefusal.ENDED, TableRefusal.ENDED.text()),
  RULE_ONTO_ITSELF(TableRefusal.ONTO_ITSELF, TableRefusal.ONTO_ITSELF.text()),
  RULE_FOR_MANY(TableRefusal.FOR_MANY, TableRefusal.FOR_MANY.text()),
  RULE_TABLE_FULL(TableRefusal.TABLE_FULL, TableRefusal.TABLE_FULL.text()),
  RULE_ORIGIN_FULL(TableRefusal.ORIGIN_FULL, TableRefusal.ORIGIN_FULL.text()),
  RULE_PREFIX_FULL(TableRefusal.PREFIX_FULL, TableRefusal.PREFIX_FULL.text()),

  // a signed registration
  SIGNED_OK(RegistrationRefusal.OK, RegistrationRefusal.OK.text()),
  SIGNED_LATE(RegistrationRefusal.LATE, RegistrationRefusal.LATE.text()),
  SIGNED_KEY(RegistrationRefusal.KEY, RegistrationRefusal.KEY.text()),
  SIGNED_SIGNATURE(RegistrationRefusal.SIGNATURE, RegistrationRefusal.SIGNATURE.text()),
  SIGNED_NOT_OWNER(RegistrationRefusal.NOT_OWNER, RegistrationRefusal.NOT_OWNER.text()),
  SIGNED_DELEGATION_ENDED(
      RegistrationRefusal.DELEGATION_ENDED, RegistrationRefusal.DELEGATION_ENDED.text()),
  SIGNED_DELEGATION(RegistrationRefusal.DELEGATION, RegistrationRefusal.DELEGATION.text()),
  SIGNED_UNKNOWN(RegistrationRefusal.UNKNOWN, RegistrationRefusal.UNKNOWN.text()),
  SIGNED_MAC(RegistrationRefusal.MAC, RegistrationRefusal.MAC.text()),
  SIGNED_REPLAYED(RegistrationRefusal.REPLAYED, RegistrationRefusal.REPLAYED.text()),
  SIGNED_MOVED(RegistrationRefusal.MOVED, RegistrationRefusal.MOVED.text()),
  SIGNED_FULL(RegistrationRefusal.FULL, RegistrationRefusal.FULL.text()),
  SIGNED_OUTSIDE(RegistrationRefusal.OUTSIDE, RegistrationRefusal.OUTSIDE.text()),
  SIGNED_RULE(RegistrationRefusal.RULE, RegistrationRefusal.RULE.text()),
  SIGNED_BUSY(RegistrationRefusal.BUSY, RegistrationRefusal.BUSY.text()),

  // this module's own
  ROUTER_TOO_LONG("a datagram longer than 2,048 bytes"),
  ROUTER_SENDER("a packet from a group, a broadcast address or port 0"),
  ROUTER_ADDRESS("a packet of a family in which the router has no address"),
  ROUTER_FLOW("a packet of a flow, which belongs to a host"),
  ROUTER_STRANGER("a list of hops from an address that `routers` does not have"),
  ROUTER_NO_ROOM("the header has no room for one more hop"),
  ROUTER_RELEASED("a packet that was held, and looked up again because of a new rule"),
  ROUTER_NOT_SENT("the node's policy, its routes or the MTU refuse the packet"),
  ROUTER_SOCKET_FULL("the socket takes no more packets now"),
  ROUTER_EXPIRED("a rule whose lifetime is over"),
  RETURN_BACK("a SYN-ACK that went back to the hop before this router"),
  RETURN_TICKET("a SYN-ACK without the ticket that this router gave its sender, or too late"),
  KERNEL_ASKED("a rule that the kernel was asked for"),
  KERNEL_REFUSED("a rule that the kernel refused, so that packets of its prefix come here"),
  KERNEL_OFF("the kernel cannot have all prefixes, and so gets none for 30 s"),
  SIGNED_CHALLENGED("a host that asked for a challenge"),
  REGISTRATION_WITHDRAWN("a rule that its host withdrew"),
  REGISTRATION_UNKNOWN("a host withdrew a rule that is not there"),
  REGISTRATION_NO_MESSAGE("a packet to the router itself that is no registration"),
  REGISTRATION_CHECKSUM("a registration with a wrong UDP length or checksum"),
  REGISTRATION_OUTSIDE("a prefix that no prefix of `registrations` covers"),

  // feeders
  ANNOUNCE_LEFT("a prefix that is not announced, because there are `announce-most` already"),
  PARENT_ANSWER("an answer of a parent to a signed registration"),
  LOOKUP_NONE("a packet that was held, and dropped because a look-up found nothing"),
  LOOKUP_ASKED("a serviceID that is looked up"),
  LOOKUP_FOUND("a look-up that gave rules"),
  LOOKUP_FAILED("a look-up without an answer, or with a broken one"),
  LOOKUP_FULL("a serviceID that is not looked up, because `lookups-at-once` are under way"),
  UPDATE_SENT("an update of the zone"),
  UPDATE_REFUSED("an update that failed, and is tried again"),
  STORE_WRITTEN("an entry that this router wrote into the store, or removed"),
  STORE_REFUSED("an entry of the store that is no rule, beyond the policy, or one too many"),
  STORE_LOST("a request that the store did not answer, or a watch that ended"),
  FLOOD_TAKEN("an announcement of another router that is newer than the last one"),
  FLOOD_OLD("an announcement that came before, or by another way, or is this router's own"),
  FLOOD_STRANGER("an announcement from an address that `neighbours` does not have"),
  FLOOD_RATE("an announcement of a neighbour that sends more than 200 in a second"),
  FLOOD_BROKEN("an announcement with a wrong length, or a field out of its range"),
  FLOOD_FULL("an announcement of one more router than 256");

  private static final Map<Enum<?>, Outcome> OF_THE_BLOCK = new HashMap<>();

  static {
    for (Outcome outcome : values()) {
      if (outcome.block != null) {
        OF_THE_BLOCK.put(outcome.block, outcome);
      }
    }
  }

  private final Enum<?> block;
  private final String text;

  Outcome(Enum<?> block, String text) {
    this.block = block;
    this.text = text;
  }

  Outcome(String text) {
    this(null, text);
  }

  /** Returns the outcome in words. */
  public String text() {
    return text;
  }

  /** Returns the name on the page of counters, such as {@code serval.forward.no-rule}. */
  public String counter() {
    String[] parts = name().split("_", 2);
    return "serval." + lower(parts[0]) + "." + lower(parts[1]);
  }

  private static String lower(String part) {
    return part.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Returns the outcome for a value of the block serval, null for an OK of {@link ServalError}.
   *
   * @param value of ServalError, ForwardVerdict, HoldRefusal, TableRefusal or RegistrationRefusal
   */
  static Outcome of(Enum<?> value) {
    return OF_THE_BLOCK.get(value);
  }
}
