// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests entries as text, names, scopes, order, and the checks of certificates. */
class AuthorisedPeersTest {
  private static final NodeCertificate SELF_SIGNED = LinkNode.certificate("a.example.com");
  private static final String KEY = "key:" + SELF_SIGNED.fingerprint();
  private static final TestCa CA = ca("one");
  private static final TestCa OTHER_CA = ca("other");

  private static TestCa ca(String name) {
    try {
      return new TestCa(name);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static Optional<String> admit(NodeCertificate peer, String... entries) throws Exception {
    return admitFrom("192.0.2.1", peer, entries);
  }

  private static Optional<String> admitFrom(String from, NodeCertificate peer, String... entries)
      throws Exception {
    AuthorisedPeers peers = new AuthorisedPeers(LinkNode.entries(entries), List.of(CA.anchor()));
    InetAddress address = InetAddress.getByName(from);
    Optional<String> asServer = peers.admit(peer.chain(), address, true);
    assertEquals(asServer, peers.admit(peer.chain(), address, false));
    return asServer;
  }

  private static final Optional<String> REFUSED = Optional.empty();

  @Test
  void whoMatchesNothingIsRefused() throws Exception {
    assertEquals(REFUSED, admit(SELF_SIGNED));
    assertEquals(REFUSED, admit(SELF_SIGNED, "allow key:" + "0".repeat(64)));
    AuthorisedPeers any = LinkNode.peers("allow any");
    assertEquals(REFUSED, any.admit(List.of(), InetAddress.getByName("192.0.2.1"), true));
  }

  @Test
  void theFirstMatchDecides() throws Exception {
    assertEquals(Optional.of(KEY), admit(SELF_SIGNED, "allow " + KEY, "deny any"));
    assertEquals(REFUSED, admit(SELF_SIGNED, "deny any", "allow " + KEY));
    assertEquals(REFUSED, admit(SELF_SIGNED, "deny " + KEY, "allow any"));
    assertEquals(Optional.of(""), admit(SELF_SIGNED, "allow any", "deny " + KEY));
  }

  @Test
  void entriesHoldWithinTheirScope() throws Exception {
    String[] entries = {
      "deny any from 192.0.2.128/25", "allow any from 192.0.2.0/24", "allow any from 2001:db8::/33"
    };
    assertEquals(Optional.of(""), admitFrom("192.0.2.127", SELF_SIGNED, entries));
    assertEquals(REFUSED, admitFrom("192.0.2.128", SELF_SIGNED, entries));
    assertEquals(REFUSED, admitFrom("192.0.3.1", SELF_SIGNED, entries));
    assertEquals(Optional.of(""), admitFrom("2001:db8:7fff::1", SELF_SIGNED, entries));
    assertEquals(REFUSED, admitFrom("2001:db8:8000::1", SELF_SIGNED, entries));
    assertEquals(Optional.of(""), admitFrom("10.0.0.1", SELF_SIGNED, "allow any from 10.0.0.1"));
    assertEquals(REFUSED, admitFrom("10.0.0.2", SELF_SIGNED, "allow any from 10.0.0.1"));
    assertEquals(Optional.of(""), admitFrom("10.0.0.2", SELF_SIGNED, "allow any from 0.0.0.0/0"));
    assertEquals(REFUSED, admitFrom("::1", SELF_SIGNED, "allow any from 0.0.0.0/0"));
  }

  /** Section 5.7.3.1. Columns: entry, name in the certificate, true if they match. */
  @ParameterizedTest
  @CsvSource({
    "a.example.com,a.example.com,true",
    "A.Example.COM,a.eXample.com,true",
    "*.example.com,a.example.com,true",
    "*.example.com,*.example.com,true",
    "*.example.com,example.com,false",
    "*.example.com,a.b.example.com,false",
    "*.example.com,a.example.org,false",
    "a.example.com,*.example.com,true",
    "example.com,*.example.com,false",
    "a.b.example.com,*.example.com,false",
    "b.example.com,a.example.com,false",
    "example.com,a.example.com,false",
  })
  void namesMatchWithAWildcardOnTheLeft(String entry, String certified, boolean match)
      throws Exception {
    NodeCertificate peer = CA.issue("CN=irrelevant", certified);
    Optional<String> expected = match ? Optional.of("dns:" + certified) : REFUSED;
    assertEquals(expected, admit(peer, "allow dns:" + entry));
  }

  @Test
  void theCommonNameCountsOnlyWithoutAlternativeNames() throws Exception {
    NodeCertificate both = CA.issue("CN=a.example.com", "b.example.com");
    assertEquals(REFUSED, admit(both, "allow dns:a.example.com"));
    assertEquals(Optional.of("dns:b.example.com"), admit(both, "allow dns:b.example.com"));
    NodeCertificate alone = CA.issue("CN=wide.example.com,CN=a.example.com");
    assertEquals(Optional.of("dns:a.example.com"), admit(alone, "allow dns:a.example.com"));
    assertEquals(REFUSED, admit(alone, "allow dns:wide.example.com"), "not the most specific");
    assertEquals(REFUSED, admit(CA.issue("O=nameless"), "allow dns:a.example.com"));
  }

  @Test
  void aNameNeedsAnAnchorAndAKeyDoesNot() throws Exception {
    assertEquals(REFUSED, admit(SELF_SIGNED, "allow dns:a.example.com"));
    NodeCertificate foreign = OTHER_CA.issue("CN=x", "a.example.com");
    assertEquals(REFUSED, admit(foreign, "allow dns:a.example.com"));
    NodeCertificate expired =
        CA.issue("CN=x", Instant.parse("2021-01-01T00:00:00Z"), "a.example.com");
    assertEquals(REFUSED, admit(expired, "allow dns:a.example.com"));
    String key = "key:" + expired.fingerprint();
    assertEquals(Optional.of(key), admit(expired, "allow " + key));
    // The next entry has its chance.
    assertEquals(Optional.of(""), admit(foreign, "allow dns:a.example.com", "allow any"));
  }

  @Test
  void aDenialNeedsNoAnchor() throws Exception {
    NodeCertificate foreign = OTHER_CA.issue("CN=x", "a.example.com");
    assertEquals(REFUSED, admit(foreign, "deny dns:*.example.com", "allow any"));
  }

  @Test
  void editingTellsWhoListens() {
    AuthorisedPeers peers = LinkNode.peers("allow any");
    AtomicInteger told = new AtomicInteger();
    Runnable task = told::incrementAndGet;
    peers.onEdit(task);
    peers.replace(List.of(), List.<X509Certificate>of());
    assertEquals(1, told.get());
    peers.removeOnEdit(task);
    peers.replace(List.of(), List.of());
    assertEquals(1, told.get());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "allow",
        "permit any",
        "allow all",
        "allow any extra",
        "allow any from",
        "allow any from 10.0.0.0/8 more",
        "allow any to 10.0.0.0/8",
        "allow any from example.com",
        "allow any from 10.0.0.0/33",
        "allow any from 10.0.0.0/-1",
        "allow any from 10.0.0.0/",
        "allow any from 2001:db8::/129",
        "allow any from 300.1.2.3.4/8",
        "allow dns:",
        "allow dns:a..example",
        "allow dns:*.",
        "allow dns:a.*.example",
        "allow dns:-a.example",
        "allow key:",
        "allow key:1234",
        "allow key:gggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggg",
        "allow k",
      })
  void entriesThatAreNone(String text) {
    assertThrows(IllegalArgumentException.class, () -> PeerEntry.parse(text));
  }

  @Test
  void entriesAsText() throws Exception {
    assertEquals(
        new PeerEntry(
            false, PeerEntry.Kind.DNS, "*.example.com", InetAddress.getByName("192.0.2.0"), 24),
        PeerEntry.parse("  deny  dns:*.Example.COM from 192.0.2.0/24 "));
    assertEquals(
        new PeerEntry(true, PeerEntry.Kind.ANY, "", null, 0), PeerEntry.parse("allow any"));
  }
}
