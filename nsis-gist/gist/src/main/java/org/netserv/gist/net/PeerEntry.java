// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.netserv.gist.AddressPrefix;

/**
 * An entry of the list of authorised peers (RFC 5971 section 4.4.2). As text, one of
 *
 * <pre>
 *   allow dns:*.example.net
 *   deny dns:old.example.net from 192.0.2.0/24
 *   allow key:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
 *   allow any from 2001:db8::/32
 * </pre>
 *
 * @param allowed false: peers that match are refused
 * @param identity a DNS name in lower case, perhaps with {@code *} as its leftmost label; or the
 *     SHA-256 of a public key (SubjectPublicKeyInfo) in hexadecimal; empty for ANY
 * @param scope peers at these addresses only; null = anywhere
 * @param prefixLength of the scope, bits
 */
public record PeerEntry(
    boolean allowed, Kind kind, String identity, InetAddress scope, int prefixLength) {
  /** Kinds of identity. */
  public enum Kind {
    /** A name in a certificate that a trust anchor vouches for. */
    DNS,
    /** The public key itself; no anchor needed. */
    KEY,
    /** Any certificate. TLS protects the bytes but does not identify the peer. */
    ANY
  }

  private static final Pattern NAME =
      Pattern.compile(
          "(\\*\\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*");
  private static final Pattern FINGERPRINT = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern LITERAL = Pattern.compile("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

  /**
   * Reads {@code allow|deny dns:NAME|key:HEX|any [from ADDRESS/LENGTH]}.
   *
   * @throws IllegalArgumentException explains the fault in the text
   */
  public static PeerEntry parse(String text) {
    String[] words = text.strip().split("\\s+", 5);
    boolean scoped = words.length == 4 && words[2].equals("from");
    if ((words.length != 2 && !scoped) || !List.of("allow", "deny").contains(words[0])) {
      throw wrong("an entry is: allow|deny dns:NAME|key:HEX|any [from ADDRESS/LENGTH]", text);
    }
    boolean allowed = words[0].equals("allow");
    String who = words[1].toLowerCase(Locale.ROOT);
    InetAddress scope = scoped ? address(words[3]) : null;
    int length = scoped ? length(words[3], scope) : 0;
    if (who.equals("any")) {
      return new PeerEntry(allowed, Kind.ANY, "", scope, length);
    }
    String identity = who.substring(Math.min(4, who.length()));
    if (who.startsWith("dns:") && NAME.matcher(identity).matches()) {
      return new PeerEntry(allowed, Kind.DNS, identity, scope, length);
    }
    if (who.startsWith("key:") && FINGERPRINT.matcher(identity).matches()) {
      return new PeerEntry(allowed, Kind.KEY, identity, scope, length);
    }
    throw wrong("neither a DNS name nor the SHA-256 of a key", words[1]);
  }

  /** Returns whether the entry applies to peers at this address. */
  boolean covers(InetAddress address) {
    return scope == null || new AddressPrefix(scope, prefixLength).covers(address);
  }

  /**
   * Returns whether a name of a certificate matches this entry, or the other way round. {@code *}
   * stands for one leftmost label on either side (section 5.7.3.1).
   */
  boolean names(String certified) {
    String name = certified.toLowerCase(Locale.ROOT);
    return kind == Kind.DNS
        && (name.equals(identity) || matches(identity, name) || matches(name, identity));
  }

  private static boolean matches(String pattern, String name) {
    int dot = name.indexOf('.');
    return pattern.startsWith("*.") && dot > 0 && pattern.substring(1).equals(name.substring(dot));
  }

  private static InetAddress address(String prefix) {
    String literal = prefix.replaceFirst("/.*", "");
    if (!LITERAL.matcher(literal).matches()) {
      throw wrong("not an IP address", literal); // and nothing to ask a name server for
    }
    try {
      return InetAddress.getByName(literal);
    } catch (UnknownHostException e) {
      throw wrong("not an IP address", literal);
    }
  }

  private static int length(String prefix, InetAddress address) {
    int bits = address.getAddress().length * 8;
    int slash = prefix.indexOf('/');
    if (slash < 0) {
      return bits;
    }
    String digits = prefix.substring(slash + 1);
    if (!digits.matches("[0-9]{1,3}") || Integer.parseInt(digits) > bits) {
      throw wrong("not a prefix length", digits);
    }
    return Integer.parseInt(digits);
  }

  private static IllegalArgumentException wrong(String what, String where) {
    return new IllegalArgumentException(what + ": '" + where + "'");
  }
}
