// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.io.IOException;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * The authorised peer database (RFC 5971 section 4.4.2). It decides which peers may be at the other
 * end of TLS. Its entries are ordered, and the first match decides. A peer that matches no entry is
 * refused.
 *
 * <p>An entry that allows a DNS name requires a certificate for the name that a trust anchor
 * vouches for. An entry that denies a name needs no anchor, so that no peer escapes it by a worse
 * certificate. Safe on any thread.
 */
public final class AuthorisedPeers {
  /** The key exchange for the platform's certificate checks: no cipher suite in particular. */
  private static final String ANY_EXCHANGE = "UNKNOWN";

  private final List<Runnable> edited = new CopyOnWriteArrayList<>();
  private volatile Database database;

  /**
   * Creates a database.
   *
   * @param anchors certificates that vouch for DNS names; may be empty
   */
  public AuthorisedPeers(List<PeerEntry> entries, Collection<X509Certificate> anchors) {
    database = new Database(List.copyOf(entries), trustManager(anchors));
  }

  /** Entries and anchors that belong together; the trust manager is null without anchors. */
  private record Database(List<PeerEntry> entries, X509TrustManager anchors) {}

  /** Replaces the entries and anchors. Live connections are judged again. */
  public void replace(List<PeerEntry> entries, Collection<X509Certificate> anchors) {
    database = new Database(List.copyOf(entries), trustManager(anchors));
    edited.forEach(Runnable::run);
  }

  /** Adds a task that runs after each {@link #replace}, on its thread. */
  void onEdit(Runnable task) {
    edited.add(task);
  }

  void removeOnEdit(Runnable task) {
    edited.remove(task);
  }

  /**
   * Judges a peer that has proved to hold the key of this certificate.
   *
   * @param chain its own certificate first; may be empty
   * @param server whether the peer is the server of TLS
   * @return the peer's identity, {@code dns:name} or {@code key:hex}, empty where any certificate
   *     will do; no value: the peer is refused
   */
  Optional<String> admit(List<X509Certificate> chain, InetAddress address, boolean server) {
    Database current = database;
    if (chain.isEmpty()) {
      return Optional.empty();
    }
    for (PeerEntry entry : current.entries()) {
      String name = entry.covers(address) ? match(current, entry, chain, server) : null;
      if (name != null) {
        return entry.allowed() ? Optional.of(name) : Optional.empty();
      }
    }
    return Optional.empty();
  }

  /** Returns the name by which the entry matches, or null if it does not. */
  private static String match(
      Database current, PeerEntry entry, List<X509Certificate> chain, boolean server) {
    X509Certificate own = chain.get(0);
    return switch (entry.kind()) {
      case ANY -> "";
      case KEY ->
          entry.identity().equals(LinkCertificates.fingerprint(own))
              ? "key:" + entry.identity()
              : null;
      case DNS ->
          LinkCertificates.names(own).stream()
              .filter(entry::names)
              .findFirst()
              .filter(name -> !entry.allowed() || vouchedFor(current.anchors(), chain, server))
              .map(name -> "dns:" + name)
              .orElse(null);
    };
  }

  private static boolean vouchedFor(
      X509TrustManager anchors, List<X509Certificate> chain, boolean server) {
    if (anchors == null) {
      return false;
    }
    X509Certificate[] certificates = chain.toArray(new X509Certificate[0]);
    try {
      if (server) {
        anchors.checkServerTrusted(certificates, ANY_EXCHANGE);
      } else {
        anchors.checkClientTrusted(certificates, ANY_EXCHANGE);
      }
      return true;
    } catch (CertificateException e) {
      return false;
    }
  }

  private static X509TrustManager trustManager(Collection<X509Certificate> anchors) {
    if (anchors.isEmpty()) {
      return null;
    }
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (X509Certificate anchor : anchors) {
        store.setCertificateEntry("anchor-" + store.size(), anchor);
      }
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init(store);
      for (TrustManager manager : factory.getTrustManagers()) {
        if (manager instanceof X509TrustManager found) {
          return found;
        }
      }
      throw new IllegalStateException("no PKIX trust manager");
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("every Java platform has PKIX", e);
    }
  }
}
