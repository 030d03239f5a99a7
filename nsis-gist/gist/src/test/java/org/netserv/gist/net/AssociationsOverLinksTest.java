// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.gist.GistSettings;
import org.netserv.gist.association.Association;
import org.netserv.gist.association.AssociationCounters;
import org.netserv.gist.association.AssociationCounters.Counter;
import org.netserv.gist.association.AssociationTable;
import org.netserv.gist.association.Associations;
import org.netserv.gist.association.TestNode;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.MalformedMessageException;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.NslpData;

/**
 * The table, real connections, real timers and TLS that computes on another thread: all together.
 */
class AssociationsOverLinksTest {
  private static final NodeCertificate OURS = LinkNode.certificate("a.example");
  private static final NodeCertificate THEIRS = LinkNode.certificate("b.example");

  private final TestLoop loop = new TestLoop();
  private final ExecutorService handshakes = Executors.newSingleThreadExecutor();
  private final EventLoopTimers timers = new EventLoopTimers(loop.loop());
  private final Node a = new Node(OURS, THEIRS);
  private final Node b = new Node(THEIRS, OURS);

  @AfterEach
  void stop() throws Exception {
    loop.on(
        () -> {
          a.table.close();
          b.table.close();
          a.links.close();
          b.links.close();
          return null;
        });
    loop.close();
    handshakes.shutdown();
  }

  /** A node that takes every first message as right. */
  private final class Node implements Associations.Listener, Association.User {
    final AssociationCounters counters = new AssociationCounters();
    final AuthorisedPeers peers;
    final NettyLinks links;
    final AssociationTable table;
    final byte[] identity;
    final List<Integer> received = new ArrayList<>();
    final List<String> failures = new ArrayList<>();
    final List<String> revoked = new ArrayList<>();
    final List<String> unwelcome = new ArrayList<>();
    Association accepted;

    Node(NodeCertificate own, NodeCertificate other) {
      identity = own.fingerprint().substring(0, 8).getBytes(StandardCharsets.US_ASCII);
      peers = LinkNode.peers(LinkNode.allow(other));
      links = new NettyLinks(loop.loop(), handshakes, LinkSettings.DEFAULT, own, peers, counters);
      table = new AssociationTable(GistSettings.DEFAULT, links, timers, new Random(1), counters);
      table.listen(this);
    }

    NetworkLayerInfo nli(InetAddress address) {
      return new NetworkLayerInfo(0, 30_000, identity, address);
    }

    @Override
    public void received(Association from, GistMessage message, byte[] bytes, boolean first) {
      received.add(message.find(NslpData.class).map(d -> (int) d.bytes()[3]).orElse(-1));
      if (first) {
        accepted = from;
        Node peer = this == a ? b : a;
        table.established(from, peer.nli(InetAddress.getLoopbackAddress()), 30_000);
        from.attach(this);
      }
    }

    @Override
    public void malformed(Association from, MalformedMessageException failure, byte[] bytes) {
      throw new AssertionError(failure);
    }

    @Override
    public void associationFailed(Association association, String reason) {
      failures.add(reason);
    }

    @Override
    public void associationRefused(Association association, String reason) {
      revoked.add(reason);
    }

    @Override
    public void associationUnwelcome(Association association, String reason) {
      unwelcome.add(reason);
    }
  }

  private Association meet(String address, boolean secure) throws Exception {
    InetAddress ip = InetAddress.getByName(address);
    Association association =
        loop.on(
            () -> {
              Association made = a.table.open(ip, b.nli(ip), b.table.responseOffer(4), secure);
              made.attach(a);
              for (int i = 0; i < 10; i++) {
                made.send(TestNode.data(i)); // before it is connected
              }
              return made;
            });
    loop.until(() -> b.received.size() == 10);
    return association;
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1,true", "127.0.0.1,false", "::1,true", "::1,false"})
  void messagesByARealConnection(String address, boolean secure) throws Exception {
    Association association = meet(address, secure);
    assertTrue(association.secure(), "the best that both offer");
    loop.on(
        () -> {
          b.accepted.send(TestNode.data(42));
          return null;
        });
    loop.until(() -> a.received.size() == 1);
    assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), b.received);
    assertEquals(List.of(42), a.received);
    assertEquals(1, a.counters.snapshot().get("open"));
    assertEquals(1, b.counters.snapshot().get("open"));
    assertEquals("key:" + OURS.fingerprint(), b.accepted.peerName());
    assertEquals("key:" + THEIRS.fingerprint(), association.peerName());
  }

  @Test
  void editingTheListTellsTheUsersOfTheAssociation() throws Exception {
    meet("127.0.0.1", true);
    b.peers.replace(List.of(), List.of());
    loop.until(() -> !b.revoked.isEmpty() && !a.failures.isEmpty());
    assertEquals(List.of("no longer an authorised peer"), b.revoked);
    assertEquals(List.of(), b.failures);
    assertEquals(1, a.failures.size(), "whose list has b still: a connection that was lost");
    assertEquals(List.of(), a.revoked);
    assertEquals(0, loop.on(b.table::size));
    assertEquals(0, b.counters.snapshot().get("open"));
    assertEquals(1, b.counters.get(Counter.ASSOCIATION_FAILED));
    assertEquals(1, b.counters.get(Counter.PEER_REVOKED));
  }

  @Test
  void aPeerThatIsNotOnTheListIsNoMereFailure() throws Exception {
    a.peers.replace(List.of(), List.of());
    InetAddress ip = InetAddress.getLoopbackAddress();
    loop.on(
        () -> {
          a.table.open(ip, b.nli(ip), b.table.responseOffer(4), true).attach(a);
          return null;
        });
    loop.until(() -> !a.unwelcome.isEmpty());
    assertEquals(List.of("not an authorised peer"), a.unwelcome);
    assertEquals(List.of(), a.failures);
    assertEquals(List.of(), a.revoked);
    assertEquals(List.of(), b.received, "no GIST message");
  }

  /**
   * The peer says so by its alert. With TLS 1.3 the alert comes when our side of the handshake is
   * over.
   */
  @Test
  void aPeerThatDoesNotHaveUsOnItsListSaysSo() throws Exception {
    b.peers.replace(List.of(), List.of());
    InetAddress ip = InetAddress.getLoopbackAddress();
    loop.on(
        () -> {
          a.table.open(ip, b.nli(ip), b.table.responseOffer(4), false).attach(a);
          return null;
        });
    loop.until(() -> !a.unwelcome.isEmpty() || !a.failures.isEmpty());
    assertEquals(List.of(), a.failures);
    assertTrue(a.unwelcome.get(0).contains("certificate_unknown"), a.unwelcome.toString());
    assertEquals(1, a.counters.get(Counter.UNWELCOME));
    assertEquals(1, b.counters.get(Counter.PEER_UNAUTHORISED));
  }

  /** The next association with the peer is by TCP, unless TLS is asked for. */
  @Test
  void withoutTlsTheNextIsByTcp() throws Exception {
    b.peers.replace(List.of(), List.of());
    InetAddress ip = InetAddress.getLoopbackAddress();
    assertTrue(loop.on(() -> a.table.avoidTls(b.nli(ip))));
    Association association = meet("127.0.0.1", false);
    assertTrue(!association.secure());
    assertEquals(10, b.received.size());
    loop.on(
        () -> {
          a.table.open(ip, b.nli(ip), b.table.responseOffer(4), true).attach(a);
          return null;
        });
    loop.until(() -> !a.unwelcome.isEmpty());
  }

  @Test
  void aPeerThatDiesIsNoticed() throws Exception {
    Association association = meet("127.0.0.1", true);
    loop.on(
        () -> {
          b.links.close();
          return null;
        });
    loop.until(() -> !a.failures.isEmpty());
    assertEquals(List.of("closed by the peer"), a.failures);
    assertTrue(!loop.on(association::connected));
  }
}
