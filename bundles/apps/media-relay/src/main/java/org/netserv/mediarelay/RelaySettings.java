// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.netserv.mediarelay.core.Access;
import org.netserv.mediarelay.core.Discovery;
import org.netserv.mediarelay.core.Ip;
import org.netserv.mediarelay.core.Limits;
import org.netserv.mediarelay.core.PeerRules;
import org.netserv.mediarelay.core.RelayedRange;
import org.netserv.mediarelay.core.Strangers;
import org.netserv.mediarelay.net.Relay;
import org.netserv.mediarelay.net.TlsKeys;
import org.netserv.module.ModuleProperties;
import org.netserv.stun.AccessTokens;
import org.netserv.stun.LongTermUsers;
import org.netserv.stun.NonceCookie;
import org.netserv.stun.Nonces;
import org.netserv.stun.RestCredentials;
import org.netserv.stun.TokenKey;

/** The module's properties, checked. The README lists them. */
final class RelaySettings {
  static final String REALM = "realm";
  static final String SECRET = "secret";
  static final String USERS = "users";
  static final String TOKEN_KEYS = "token-keys";
  static final String TOKEN_SERVER = "token-server";
  static final String PORTS = "ports";
  static final String RELAYED = "relayed";
  static final String RELAYED_TCP = "relayed-tcp";
  static final String TLS_KEYS = "tls-keys";
  static final String TLS_PASSWORD = "tls-password";
  static final String USAGE_TO = "usage-to";
  static final String USAGE_KEY = "usage-key";
  static final String DRAIN = "drain";
  static final String DRAIN_SECONDS = "drain-seconds";

  /** Properties that a running relay takes without an end of its allocations. */
  private static final Set<String> TAKEN_ALIVE =
      Set.of(DRAIN, SECRET, USERS, TOKEN_KEYS, TOKEN_SERVER, TLS_KEYS, TLS_PASSWORD);

  private static final long MEGA = 1_000_000L / Byte.SIZE;
  private static final int ANY = 1 << 20;

  /** Beginnings of names that the framework adds, and that another process has otherwise. */
  private static final List<String> OF_THE_FRAMEWORK = List.of("component.", "service.", "felix.");

  private final Map<String, ?> all;
  private final ModuleProperties properties;
  private final Listens listens;

  /**
   * @throws IllegalArgumentException naming the property that is wrong
   */
  RelaySettings(Map<String, ?> properties) {
    all = Map.copyOf(properties);
    this.properties = new ModuleProperties(properties);
    listens = Listens.of(this.properties);
  }

  /**
   * Tells whether a relay with other properties can take these without an end of its allocations.
   */
  boolean continues(RelaySettings before) {
    return lasting().equals(before.lasting())
        && hasKeys() == before.hasKeys()
        && (drains() || !before.drains());
  }

  /** Tells whether the keys of TLS and DTLS are others. */
  boolean hasOtherKeys(RelaySettings before) {
    return !properties.text(TLS_KEYS, "").equals(before.properties.text(TLS_KEYS, ""))
        || !properties.text(TLS_PASSWORD, "").equals(before.properties.text(TLS_PASSWORD, ""));
  }

  private Map<String, String> lasting() {
    Map<String, String> sorted = new TreeMap<>();
    all.forEach(
        (name, value) -> {
          if (!TAKEN_ALIVE.contains(name)
              && OF_THE_FRAMEWORK.stream().noneMatch(name::startsWith)) {
            sorted.put(name, value.toString());
          }
        });
    return sorted;
  }

  /** Returns the SHA-256 of the properties with which allocations can be made again. */
  byte[] digest() {
    try {
      return MessageDigest.getInstance("SHA-256")
          .digest(lasting().toString().getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // each Java has it
    }
  }

  /** Tells whether no new allocation is to be made. */
  boolean drains() {
    return properties.onOff(DRAIN, false);
  }

  /** Returns the milliseconds for which a stop waits for allocations to end. */
  long drainMillis() {
    return 1000L * properties.number(DRAIN_SECONDS, 0, 0, 8);
  }

  /**
   * Makes the plan of a relay.
   *
   * @param nonceSecret random bytes, at least 16
   * @param seed random
   * @param clock seconds since 1970
   */
  Relay.Plan plan(byte[] nonceSecret, long seed, LongSupplier clock) {
    List<RelayedRange> udp = ranges(RELAYED, listens.ranges(false));
    if (udp.isEmpty()) {
      throw new IllegalArgumentException(
          RELAYED
              + ": neither given, nor does the policy forward a range of UDP ports to an"
              + " address");
    }
    List<RelayedRange> tcp = ranges(RELAYED_TCP, listens.ranges(true));
    List<Discovery.Square> squares =
        properties.onOff("discovery", true) ? listens.squares() : List.of();
    List<Integer> ports = ports(udp, hasKeys() ? "3478 5349" : "3478", squares);
    return new Relay.Plan(
        ports,
        squares,
        streams(ports),
        udp,
        tcp,
        limits(),
        access(nonceSecret, clock),
        rules(udp),
        new Strangers(
            properties.number("strangers-per-second", 20, 0, ANY),
            properties.number("answer-factor", 6, 1, 100),
            seed),
        properties.text("software", null),
        1024 * properties.number("peer-buffer-kib", 0, 0, 65_536));
  }

  private boolean hasKeys() {
    return properties.text(TLS_KEYS, null) != null;
  }

  /**
   * Reads the keys of TLS and DTLS, null = there are none. It takes longer than everything else
   * here.
   */
  TlsKeys keys() {
    String text = properties.text(TLS_KEYS, null);
    try {
      return text == null ? null : TlsKeys.of(text, properties.text(TLS_PASSWORD, ""));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(TLS_KEYS + ": " + e.getMessage(), e);
    }
  }

  private Relay.Streams streams(List<Integer> ports) {
    boolean tcp = properties.onOff("tcp", true);
    return new Relay.Streams(
        ports.stream().filter(port -> tcp && listens.hasTcp(port)).toList(),
        properties.number("connections", 4096, 1, 1 << 16));
  }

  private List<Integer> ports(
      List<RelayedRange> relayed, String absent, List<Discovery.Square> squares) {
    Set<Integer> numbers = new LinkedHashSet<>();
    for (String port : properties.list(PORTS, absent)) {
      numbers.add(ModuleProperties.number(PORTS, port, 1, 0xffff));
    }
    squares.forEach(square -> numbers.addAll(square.inside()));
    List<Integer> ports = new ArrayList<>();
    for (int number : numbers) {
      if (relayed.stream().anyMatch(range -> range.contains(number))) {
        throw new IllegalArgumentException(PORTS + ": " + number + " is a relayed port");
      }
      ports.add(number);
    }
    return ports;
  }

  private List<RelayedRange> ranges(String name, List<RelayedRange> granted) {
    if (properties.text(name, null) == null) {
      return granted;
    }
    List<RelayedRange> ranges = new ArrayList<>();
    for (String range : properties.list(name, "")) {
      ranges.add(Listens.range(name, range));
    }
    return ranges;
  }

  /**
   * The receiver of reports of usage.
   *
   * @param key of the reports' HMAC-SHA256
   * @param seconds between two reports
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares keys here
  record Usage(InetSocketAddress to, byte[] key, int seconds) {}

  /** Returns the receiver of reports of usage, null = there is none. */
  Usage usage() {
    InetSocketAddress to = properties.address(USAGE_TO);
    if (to == null) {
      return null;
    }
    String key = properties.text(USAGE_KEY, "");
    if (!key.matches("([0-9a-fA-F]{2}){16,64}")) {
      throw new IllegalArgumentException(USAGE_KEY + ": not 32 to 128 hexadecimal digits");
    }
    return new Usage(
        to, HexFormat.of().parseHex(key), properties.number("usage-seconds", 60, 1, 3600));
  }

  /** Returns the addresses of the node at which UDP clients reach the relay. */
  List<RelayedRange> servers() {
    return listens.single();
  }

  private Limits limits() {
    int allocations = properties.number("allocations", 20_000, 1, 1 << 17);
    int lifetime = properties.number("lifetime", 600, 30, 3600);
    return new Limits(
        allocations,
        properties.number("user-allocations", allocations, 1, allocations),
        properties.number("permissions", 64, 1, 4096),
        properties.number("channels", 64, 1, 4096),
        lifetime,
        properties.number("lifetime-most", Math.max(lifetime, 3600), lifetime, 86_400),
        MEGA * properties.number("mbit-per-allocation", 0, 0, 100_000),
        MEGA * properties.number("mbit", 0, 0, 1_000_000),
        properties.onOff("mobility", true),
        properties.onOff("legacy-channels", true));
  }

  /**
   * Makes the check of credentials.
   *
   * @param nonceSecret random bytes, at least 16; nonces of the same secret hold
   * @param clock seconds since 1970
   */
  Access access(byte[] nonceSecret, LongSupplier clock) {
    String realm = properties.text(REALM, "netserv");
    List<LongTermUsers> users = new ArrayList<>();
    List<byte[]> secrets = new ArrayList<>();
    for (String secret : properties.list(SECRET, "")) {
      secrets.add(secret.getBytes(StandardCharsets.UTF_8));
    }
    if (!secrets.isEmpty()) {
      users.addAll(new RestCredentials(secrets).users(realm, clock));
    }
    Map<String, String> passwords = passwords();
    if (!passwords.isEmpty()) {
      users.add(new ListedUsers(realm, passwords));
    }
    AccessTokens tokens = tokens(realm);
    if (users.isEmpty() && tokens == null) {
      throw new IllegalArgumentException(
          "%s, %s, %s: one of them is needed, for nobody relays for everybody"
              .formatted(SECRET, USERS, TOKEN_KEYS));
    }
    int lifetime = properties.number("nonce-seconds", 600, 30, 86_400);
    Nonces nonces =
        new Nonces(nonceSecret, lifetime, 4L * lifetime, NonceCookie.PASSWORD_ALGORITHMS);
    return new Access(realm, users, tokens, nonces, !secrets.isEmpty(), clock);
  }

  /** Returns the authorization servers, by their keys, null = there are none. */
  private AccessTokens tokens(String realm) {
    List<TokenKey> keys = new ArrayList<>();
    for (String entry : properties.list(TOKEN_KEYS, "")) {
      keys.add(tokenKey(entry));
    }
    if (keys.isEmpty()) {
      return null;
    }
    try {
      return new AccessTokens(properties.text(TOKEN_SERVER, realm), keys);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          TOKEN_KEYS + ", " + TOKEN_SERVER + ": " + e.getMessage(), e);
    }
  }

  private static TokenKey tokenKey(String entry) {
    int colon = entry.lastIndexOf(':');
    String hex = entry.substring(colon + 1);
    if (colon < 1 || !hex.matches("([0-9a-fA-F]{32}){1,2}")) {
      throw new IllegalArgumentException(
          TOKEN_KEYS + ": an entry is not a name, a colon, and 32 or 64 hexadecimal digits");
    }
    try {
      return new TokenKey(entry.substring(0, colon), HexFormat.of().parseHex(hex));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(TOKEN_KEYS + ": " + e.getMessage(), e);
    }
  }

  private Map<String, String> passwords() {
    Map<String, String> passwords = new HashMap<>();
    for (String user : properties.list(USERS, "")) {
      int colon = user.indexOf(':');
      if (colon < 1 || colon == user.length() - 1) {
        throw new IllegalArgumentException(USERS + ": not of the form name:password");
      }
      passwords.put(user.substring(0, colon), user.substring(colon + 1));
    }
    return passwords;
  }

  private PeerRules rules(List<RelayedRange> udp) {
    List<Ip.Prefix> relayed = new ArrayList<>();
    udp.forEach(range -> relayed.add(new Ip.Prefix(range.high(), range.low(), Ip.BITS)));
    List<Ip.Prefix> node = new ArrayList<>(listens.addresses());
    node.addAll(prefixes("node"));
    return new PeerRules(
        node,
        relayed,
        prefixes("deny"),
        prefixes("allow"),
        properties.choice("peers", "public", "private").equals("private"),
        properties.onOff("hairpin", false),
        properties.number("peer-port-least", 1, 0, 0xffff));
  }

  private List<Ip.Prefix> prefixes(String name) {
    List<Ip.Prefix> prefixes = new ArrayList<>();
    for (String prefix : properties.list(name, "")) {
      try {
        prefixes.add(Ip.Prefix.of(prefix));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
      }
    }
    return prefixes;
  }
}
