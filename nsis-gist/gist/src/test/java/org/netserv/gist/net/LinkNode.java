// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.netserv.gist.association.AssociationCounters;
import org.netserv.gist.association.AssociationCounters.Counter;
import org.netserv.gist.port.Link;

/** A node that has links and nothing else. */
final class LinkNode {
  static final List<Integer> TLS = List.of(2, 1);
  static final List<Integer> TCP = List.of(1);

  final NodeCertificate certificate;
  final AuthorisedPeers peers;
  final AssociationCounters counters = new AssociationCounters();
  final NettyLinks links;

  /** Connections that peers opened. */
  final List<Side> accepted = new ArrayList<>();

  private final TestLoop loop;

  LinkNode(TestLoop loop, LinkSettings settings, NodeCertificate certificate, String... entries) {
    this(loop, settings, certificate, peers(entries));
  }

  LinkNode(
      TestLoop loop, LinkSettings settings, NodeCertificate certificate, AuthorisedPeers peers) {
    this.loop = loop;
    this.certificate = certificate;
    this.peers = peers;
    links = new NettyLinks(loop.loop(), Runnable::run, settings, certificate, peers, counters);
    links.accept(
        link -> {
          Side side = new Side();
          side.link = link;
          accepted.add(side);
          return side;
        });
  }

  static AuthorisedPeers peers(String... entries) {
    return new AuthorisedPeers(entries(entries), List.of());
  }

  static List<PeerEntry> entries(String... entries) {
    return List.of(entries).stream().map(PeerEntry::parse).toList();
  }

  static NodeCertificate certificate(String name) {
    return NodeCertificate.generate(name, new SecureRandom());
  }

  static String allow(NodeCertificate certificate) {
    return "allow key:" + certificate.fingerprint();
  }

  int port(List<Integer> stack) throws Exception {
    return loop.on(() -> links.listeningPort(stack));
  }

  /** Connects to a port of this address, from the same address. */
  Side connect(List<Integer> stack, InetAddress address, int port) throws Exception {
    Side side = new Side();
    return loop.on(
        () -> {
          side.link = links.connect(stack, address, new InetSocketAddress(address, port), side);
          side.returned = true;
          return side;
        });
  }

  long count(Counter counter) {
    return counters.get(counter);
  }

  /** One end of a connection and its events; only on the loop. */
  static final class Side implements Link.Listener {
    final List<byte[]> received = new ArrayList<>();
    final List<String> closed = new ArrayList<>();
    Link link;
    boolean connected;
    boolean returned;
    boolean early;

    @Override
    public void connected(Link made) {
      early |= !returned;
      connected = true;
    }

    @Override
    public void received(byte[] message) {
      received.add(message);
    }

    @Override
    public void closed(String reason) {
      early |= !returned;
      closed.add(reason);
    }
  }
}
