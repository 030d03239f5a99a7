// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.io.IOException;
import java.io.InputStream;
import java.net.NetworkInterface;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.netserv.gist.AddressPrefix;
import org.netserv.gist.GistSettings;
import org.netserv.gist.net.LinkSettings;
import org.netserv.gist.net.PeerEntry;
import org.netserv.policy.NodeConfig;
import org.netserv.policy.PolicyException;
import org.netserv.policy.SignalingPolicy;
import org.netserv.policy.TrustedFile;

/**
 * The files that the daemon reads: {@code node.yaml} and the certificates that vouch for peers.
 *
 * @param logLevel as {@code LogFormat} takes it
 * @param probesPerMinute PROBEs a minute of strangers, by one source
 * @param peers as {@code AuthorisedPeers} takes them
 * @param anchors certificates in {@code peer-anchors.d}
 */
record SignalingFiles(
    String logLevel,
    int probesPerMinute,
    SignalingPolicy policy,
    List<PeerEntry> peers,
    List<X509Certificate> anchors) {
  private static final String ANCHORS = "peer-anchors.d";

  /** An index that no interface has. */
  private static final int NO_INTERFACE = -1;

  /** Loads all files, or none if one is bad. */
  static SignalingFiles load(Path etc) throws PolicyException {
    NodeConfig node = NodeConfig.load(etc);
    List<PeerEntry> peers = new ArrayList<>();
    for (String text : node.signaling().peers()) {
      try {
        peers.add(PeerEntry.parse(text));
      } catch (IllegalArgumentException e) {
        throw new PolicyException(etc.resolve("node.yaml"), 0, "$.signaling.peers", e.getMessage());
      }
    }
    return new SignalingFiles(
        node.log().level(),
        node.probesPerMinute(),
        node.signaling(),
        List.copyOf(peers),
        anchors(etc.resolve(ANCHORS)));
  }

  private static List<X509Certificate> anchors(Path directory) throws PolicyException {
    List<X509Certificate> anchors = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.pem")) {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (Path file : files) {
        TrustedFile.require(file);
        try (InputStream in = Files.newInputStream(file)) {
          for (Certificate certificate : factory.generateCertificates(in)) {
            anchors.add((X509Certificate) certificate);
          }
        }
      }
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException | CertificateException e) {
      throw new PolicyException(directory, "cannot be read: " + e.getMessage());
    }
    return anchors;
  }

  /** Returns the settings that may change while the daemon runs. */
  ApplicationSettings application() {
    return new ApplicationSettings(
        policy.enabled(),
        policy.secureOnly(),
        policy.lastNode(),
        indexes(),
        policy.hopPerMinute(),
        policy.publisherPerMinute(),
        probesPerMinute,
        policy.budgetMax(),
        policy.stateSeconds());
  }

  /**
   * Returns the current indexes of the interfaces. They come and go, so callers ask again now and
   * then.
   */
  private Set<Integer> indexes() {
    Set<Integer> indexes = new HashSet<>();
    for (String name : policy.interfaces()) {
      try {
        NetworkInterface device = NetworkInterface.getByName(name);
        indexes.add(device == null ? NO_INTERFACE : device.getIndex());
      } catch (IOException e) {
        indexes.add(NO_INTERFACE);
      }
    }
    return indexes;
  }

  /** Returns the settings with which GIST starts. */
  GistSettings gist() {
    GistSettings d = GistSettings.DEFAULT;
    return new GistSettings(
        d.t1(),
        d.t2(),
        policy.validity() * 1000L,
        d.hold(),
        policy.messagesPerSecond(),
        Math.max(10, policy.messagesPerSecond() / 10),
        policy.queriesPerSecond(),
        policy.states(),
        d.cookieLifetime(),
        policy.secureOnly(),
        d.sourceAddressAfter(),
        policy.noRouterAlert().stream()
            .map(prefix -> new AddressPrefix(prefix.address(), prefix.length()))
            .toList(),
        d.strictIngress(),
        d.statelessData(),
        d.prefixMin(),
        policy.errorComments());
  }

  LinkSettings links() {
    LinkSettings d = LinkSettings.DEFAULT;
    return new LinkSettings(
        !policy.secureOnly(),
        true,
        List.of(),
        policy.port(),
        policy.tlsPort(),
        d.messageMax(),
        d.pendingMax(),
        d.acceptedMax(),
        d.connectTimeout(),
        d.handshakeTimeout());
  }

  /** Returns whether the change takes effect only after a restart of the daemon. */
  boolean needsRestart(SignalingFiles before) {
    return !gist().equals(before.gist()) || !links().equals(before.links());
  }
}
