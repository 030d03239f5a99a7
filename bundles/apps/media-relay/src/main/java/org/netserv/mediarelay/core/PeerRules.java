// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.List;

/**
 * Decides which peers may be reached. An address that carries an IPv4 address (mapped, NAT64, 6to4,
 * Teredo, ISATAP) is judged as that IPv4 address, too, so that no other spelling of a refused
 * address gets through.
 *
 * <pre>
 *   this node's own, the module's own  ->  neighbours of the host (loopback, link-local, ...)
 *     ->  private, unless allowed  ->  deny  ->  allow, if there is any
 * </pre>
 */
public final class PeerRules {
  private static final int TUNNEL_DEPTH = 2;

  private static final Ip.Prefix NAT64 = Ip.Prefix.of("64:ff9b::/96");
  private static final Ip.Prefix NAT64_LOCAL = Ip.Prefix.of("64:ff9b:1::/48");
  private static final Ip.Prefix SIX_TO_FOUR = Ip.Prefix.of("2002::/16");
  private static final Ip.Prefix TEREDO = Ip.Prefix.of("2001::/32");
  private static final int ISATAP = 0x5efe; // low half of an interface identifier's upper word
  private static final int ISATAP_GLOBAL = 0x0200_5efe;
  private static final int INT_BITS = 32;
  private static final int SHORT_BITS = 16;

  private static final List<Ip.Prefix> LOOPBACK = prefixes("127.0.0.0/8", "::1/128");
  private static final List<Ip.Prefix> LINK_LOCAL = prefixes("169.254.0.0/16", "fe80::/10");
  private static final List<Ip.Prefix> MULTICAST = prefixes("224.0.0.0/4", "ff00::/8");

  /** Includes ::/96, the IPv4-compatible addresses that no host has any more. */
  private static final List<Ip.Prefix> NO_HOST =
      prefixes("0.0.0.0/8", "240.0.0.0/4", "::/96", "100::/64");

  private static final List<Ip.Prefix> PRIVATE =
      prefixes(
          "10.0.0.0/8",
          "172.16.0.0/12",
          "192.168.0.0/16",
          "100.64.0.0/10",
          "192.0.0.0/24",
          "198.18.0.0/15",
          "fc00::/7",
          "fec0::/10");

  private final List<Ip.Prefix> node;
  private final List<Ip.Prefix> relayed;
  private final List<Ip.Prefix> deny;
  private final List<Ip.Prefix> allow;
  private final boolean privates;
  private final boolean hairpin;
  private final int portLeast;

  /**
   * @param node addresses of the node and the module, relayed ones excepted
   * @param relayed addresses that this relay announces as relayed addresses
   * @param deny prefixes that are refused
   * @param allow prefixes besides which everything is refused; empty = everything else is allowed
   * @param privates whether private addresses are allowed
   * @param hairpin whether relayed addresses of this relay are allowed
   * @param portLeast the lowest port of a peer, 0 to 65535
   */
  public PeerRules(
      List<Ip.Prefix> node,
      List<Ip.Prefix> relayed,
      List<Ip.Prefix> deny,
      List<Ip.Prefix> allow,
      boolean privates,
      boolean hairpin,
      int portLeast) {
    this.node = List.copyOf(node);
    this.relayed = List.copyOf(relayed);
    this.deny = List.copyOf(deny);
    this.allow = List.copyOf(allow);
    this.privates = privates;
    this.hairpin = hairpin;
    this.portLeast = portLeast;
  }

  private static List<Ip.Prefix> prefixes(String... texts) {
    return java.util.Arrays.stream(texts).map(Ip.Prefix::of).toList();
  }

  /** Returns why a peer's address is refused, null = it is allowed. */
  public Why refusal(long high, long low) {
    return judge(high, low, TUNNEL_DEPTH);
  }

  /** Returns why a peer's transport address is refused, null = it is allowed. */
  public Why refusal(long high, long low, int port) {
    if (port < portLeast || port == 0) {
      return Why.PEER_PORT;
    }
    return refusal(high, low);
  }

  /** Tells whether this is an address that the relay announces as relayed address. */
  public boolean isRelayed(long high, long low) {
    return contains(relayed, high, low);
  }

  private Why judge(long high, long low, int depth) {
    Why own = ownRefusal(high, low);
    if (own != null || isRelayed(high, low)) {
      return own;
    }
    Why scope = scopeRefusal(high, low);
    if (scope != null) {
      return scope;
    }
    if (contains(deny, high, low)) {
      return Why.PEER_DENIED;
    }
    Why inner = depth == 0 || Ip.isV4(high, low) ? null : innerRefusal(high, low, depth - 1);
    if (inner != null) {
      return inner;
    }
    return allow.isEmpty() || contains(allow, high, low) ? null : Why.PEER_NOT_ALLOWED;
  }

  private Why ownRefusal(long high, long low) {
    if (isRelayed(high, low)) {
      return hairpin ? null : Why.PEER_RELAYED;
    }
    return contains(node, high, low) ? Why.PEER_NODE : null;
  }

  private Why scopeRefusal(long high, long low) {
    if (contains(LOOPBACK, high, low)) {
      return Why.PEER_LOOPBACK;
    }
    if (contains(NO_HOST, high, low)) {
      return Why.PEER_UNSPECIFIED;
    }
    if (contains(LINK_LOCAL, high, low)) {
      return Why.PEER_LINK_LOCAL;
    }
    if (contains(MULTICAST, high, low)) {
      return Why.PEER_MULTICAST;
    }
    boolean local = contains(PRIVATE, high, low) || NAT64_LOCAL.contains(high, low);
    return local && !privates ? Why.PEER_PRIVATE : null;
  }

  /** Judges the IPv4 address within an IPv6 address. A prefix list of IPv4 holds for it as well. */
  private Why innerRefusal(long high, long low, int depth) {
    if (NAT64.contains(high, low) || NAT64_LOCAL.contains(high, low) || isIsatap(low)) {
      return embedded((int) low, depth);
    }
    if (SIX_TO_FOUR.contains(high, low)) {
      return embedded((int) (high >>> SHORT_BITS), depth);
    }
    if (TEREDO.contains(high, low)) {
      Why server = embedded((int) high, depth);
      return server != null ? server : embedded(~(int) low, depth);
    }
    return null;
  }

  private Why embedded(int address, int depth) {
    long low = Ip.v4(address);
    if (isRelayed(0, low)) {
      return Why.PEER_RELAYED; // only the plain spelling of a relayed address stays inside
    }
    Why why = judge(0, low, depth);
    return why == Why.PEER_NOT_ALLOWED ? null : why;
  }

  private static boolean isIsatap(long low) {
    int upper = (int) (low >>> INT_BITS);
    return upper == ISATAP || upper == ISATAP_GLOBAL;
  }

  private static boolean contains(List<Ip.Prefix> list, long high, long low) {
    for (int i = 0; i < list.size(); i++) {
      if (list.get(i).contains(high, low)) {
        return true;
      }
    }
    return false;
  }
}
