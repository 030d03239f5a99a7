// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.util.List;
import java.util.Set;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.registration.RegistrationDesk;
import org.netserv.serval.table.HeldPackets;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.TableLimits;

/**
 * The choices for a router, checked.
 *
 * @param addresses at which hosts reach the router, at most one of each family
 * @param own the router's own serviceID
 * @param rules of the properties
 * @param registered the rules of hosts whose messages prove nothing
 * @param signed the rules of hosts that sign
 * @param routers whose lists of hops count
 * @param limits of the table
 * @param waiting limits of the packets that a DELAY holds
 * @param returns tells whether SYN-ACKs go back to clients that ask for that
 */
public record Plan(
    List<Endpoint> addresses,
    ServiceId own,
    List<Rule> rules,
    Registered registered,
    RegistrationDesk.Settings signed,
    Set<Endpoint> routers,
    TableLimits limits,
    HeldPackets.Limits waiting,
    boolean returns) {

  /**
   * The rules that hosts may register.
   *
   * @param prefixes of serviceIDs; none = nobody registers
   * @param priority among the rules of a prefix
   * @param lifeMillis the lifetime of a rule
   */
  public record Registered(List<ServicePrefix> prefixes, int priority, long lifeMillis) {
    boolean covers(ServicePrefix prefix) {
      return prefixes.stream().anyMatch(each -> each.covers(prefix));
    }
  }

  /** Returns the router's address of the same family, null if it has none. */
  Endpoint address(boolean ipv4) {
    for (Endpoint address : addresses) {
      if (address.isIpv4() == ipv4) {
        return address;
      }
    }
    return null;
  }

  /** Tells whether hosts may register a prefix by a signature. */
  boolean signs(ServicePrefix prefix) {
    return signed.prefixes().stream().anyMatch(each -> each.covers(prefix));
  }

  boolean isOwn(Endpoint address) {
    return addresses.stream().anyMatch(address::isSocketOf);
  }
}
