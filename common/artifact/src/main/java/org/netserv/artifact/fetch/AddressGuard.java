// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.fetch;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.Prefix;

/**
 * Decides whether a stranger may make this node talk to an address. The special-purpose registries
 * of RFC 6890 and its updates decide, for the address itself and for any IPv4 address that it
 * carries inside. The policy's prefixes decide before the registries do. The longest prefix in the
 * policy's two lists that holds the address wins, and deny wins at equal length. The prefixes for
 * documentation belong to nobody and are left to laboratories.
 */
public final class AddressGuard {
  private static final Map<Prefix, String> SPECIAL =
      Map.ofEntries(
          special("0.0.0.0/8", "unspecified"),
          special("10.0.0.0/8", "private"),
          special("100.64.0.0/10", "shared by carriers (RFC 6598)"),
          special("127.0.0.0/8", "loopback"),
          special("169.254.0.0/16", "link-local"),
          special("172.16.0.0/12", "private"),
          special("192.0.0.0/24", "for protocols (RFC 6890)"),
          special("192.88.99.0/24", "a 6to4 relay"),
          special("192.168.0.0/16", "private"),
          special("198.18.0.0/15", "for benchmarks"),
          special("224.0.0.0/4", "multicast"),
          special("240.0.0.0/4", "reserved or broadcast"),
          special("::/8", "unspecified, loopback or reserved"),
          special("64:ff9b:1::/48", "local translation (RFC 8215)"),
          special("100::/64", "discard only"),
          special("2001::/23", "for protocols (RFC 2928), Teredo among them"),
          special("5f00::/16", "segment routing"),
          special("fc00::/7", "private"),
          special("fe80::/10", "link-local"),
          special("fec0::/10", "site-local"),
          special("ff00::/8", "multicast"));

  private static final Prefix COMPATIBLE = prefix("::/96");
  private static final Prefix NAT64 = prefix("64:ff9b::/96");
  private static final Prefix SIX_TO_FOUR = prefix("2002::/16");

  private final List<Prefix> allow;
  private final List<Prefix> deny;
  private final Set<InetAddress> own;

  /**
   * @param own the node's own addresses
   */
  public AddressGuard(List<Prefix> allow, List<Prefix> deny, Set<InetAddress> own) {
    this.allow = List.copyOf(allow);
    this.deny = List.copyOf(deny);
    this.own = own.stream().map(AddressGuard::canonical).collect(Collectors.toUnmodifiableSet());
  }

  /** Returns the reason of a refusal; empty = permitted. */
  public Optional<String> refusal(InetAddress address) {
    InetAddress outer = canonical(address);
    Optional<String> refusal = refusalOf(outer);
    if (refusal.isPresent() || longest(allow, outer) >= 0) {
      return refusal;
    }
    return inner(outer).flatMap(this::refusalOf).map(reason -> reason + ", inside an IPv6 address");
  }

  private Optional<String> refusalOf(InetAddress address) {
    int allowed = longest(allow, address);
    int denied = longest(deny, address);
    if (denied >= 0 && denied >= allowed) {
      return Optional.of("denied by the node's policy");
    }
    if (allowed >= 0) {
      return Optional.empty();
    }
    if (own.contains(address)) {
      return Optional.of("the node's own");
    }
    return SPECIAL.entrySet().stream()
        .filter(entry -> entry.getKey().contains(address) && !carriesIpv4(address))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  /** Length of the longest prefix that holds the address, or -1. */
  private static int longest(List<Prefix> prefixes, InetAddress address) {
    return prefixes.stream()
        .filter(p -> p.contains(address))
        .mapToInt(Prefix::length)
        .max()
        .orElse(-1);
  }

  /**
   * Tells whether the address is as public as the IPv4 address inside it, as in 64:ff9b::/96 and
   * 2002::/16. IPv4-compatible addresses are never public.
   */
  private static boolean carriesIpv4(InetAddress address) {
    return NAT64.contains(address) || SIX_TO_FOUR.contains(address);
  }

  private static Optional<InetAddress> inner(InetAddress address) {
    byte[] b = address.getAddress();
    if (NAT64.contains(address) || COMPATIBLE.contains(address)) {
      return Optional.of(Addresses.of(Arrays.copyOfRange(b, 12, 16)));
    }
    return SIX_TO_FOUR.contains(address)
        ? Optional.of(Addresses.of(Arrays.copyOfRange(b, 2, 6)))
        : Optional.empty();
  }

  /** A mapped address becomes its IPv4 address, a scope is forgotten. */
  private static InetAddress canonical(InetAddress address) {
    return Addresses.of(address.getAddress());
  }

  private static Map.Entry<Prefix, String> special(String prefix, String what) {
    return Map.entry(prefix(prefix), what);
  }

  private static Prefix prefix(String text) {
    try {
      return Prefix.parse(text);
    } catch (BadValueException e) {
      throw new IllegalStateException(text, e);
    }
  }
}
