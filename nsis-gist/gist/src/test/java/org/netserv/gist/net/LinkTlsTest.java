// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.gist.association.AssociationCounters.Counter;

/** Tests admission by TLS, on loopback and in both directions. */
class LinkTlsTest {
  private static final List<Integer> TLS = LinkNode.TLS;
  private static final NodeCertificate OURS = LinkNode.certificate("a.example");
  private static final NodeCertificate THEIRS = LinkNode.certificate("b.example");
  private static final byte[] MESSAGE = MessageFramingTest.message(5, 1);

  private final TestLoop loop = new TestLoop();
  private final InetAddress loopback = InetAddress.getLoopbackAddress();
  private final List<LinkNode> nodes = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (LinkNode node : nodes) {
      loop.on(
          () -> {
            node.links.close();
            return null;
          });
    }
    loop.close();
  }

  private LinkNode node(NodeCertificate certificate, String... entries) {
    return node(certificate, LinkNode.peers(entries));
  }

  private LinkNode node(NodeCertificate certificate, AuthorisedPeers peers) {
    LinkNode node = new LinkNode(loop, LinkSettings.DEFAULT, certificate, peers);
    nodes.add(node);
    return node;
  }

  private LinkNode.Side connect(LinkNode from, LinkNode to) throws Exception {
    return from.connect(TLS, loopback, to.port(TLS));
  }

  private LinkNode.Side meet(LinkNode from, LinkNode to) throws Exception {
    int before = to.accepted.size();
    LinkNode.Side side = connect(from, to);
    loop.until(() -> side.connected && to.accepted.size() == before + 1);
    return side;
  }

  @Test
  void namesOfACommonAuthority() throws Exception {
    TestCa ca = new TestCa("lab");
    LinkNode a = node(ca.issue("CN=x", "a.lab.example"), lab(ca));
    LinkNode b = node(ca.issue("CN=x", "b.lab.example"), lab(ca));
    LinkNode.Side from = meet(a, b);
    assertEquals("dns:b.lab.example", from.link.peerName());
    assertEquals("dns:a.lab.example", b.accepted.get(0).link.peerName());
    LinkNode stranger = node(ca.issue("CN=x", "c.elsewhere.example"), lab(ca));
    assertRefusedByServer(stranger, b);
    LinkNode forger = node(new TestCa("lab").issue("CN=x", "c.lab.example"), lab(ca));
    assertRefusedByServer(forger, b);
    assertEquals(2, b.count(Counter.PEER_UNAUTHORISED));
  }

  private static AuthorisedPeers lab(TestCa ca) {
    return new AuthorisedPeers(LinkNode.entries("allow dns:*.lab.example"), List.of(ca.anchor()));
  }

  /**
   * Expects that the server refuses the client. In TLS 1.3 the client is done before the server
   * judges it, so it may be connected and is closed then.
   */
  private void assertRefusedByServer(LinkNode client, LinkNode server) throws Exception {
    // The client takes any server here, because only the server's judgement counts.
    client.peers.replace(LinkNode.entries("allow any"), List.of());
    int accepted = server.accepted.size();
    long refused = server.count(Counter.PEER_UNAUTHORISED);
    LinkNode.Side side = connect(client, server);
    loop.until(() -> !side.closed.isEmpty());
    assertEquals(List.of(), side.received);
    assertEquals(accepted, server.accepted.size(), "nothing of it came to GIST");
    assertEquals(refused + 1, server.count(Counter.PEER_UNAUTHORISED));
  }

  @Test
  void theClientRefusesAServerOutsideItsList() throws Exception {
    LinkNode a = node(OURS, "allow key:" + "0".repeat(64));
    LinkNode b = node(THEIRS, LinkNode.allow(OURS));
    LinkNode.Side side = connect(a, b);
    loop.until(() -> !side.closed.isEmpty());
    assertEquals(List.of("not an authorised peer"), side.closed);
    assertFalse(side.connected);
    assertEquals(1, a.count(Counter.PEER_UNAUTHORISED));
    assertEquals(List.of(), b.accepted);
  }

  @Test
  void theServerRefusesAClientOutsideItsList() throws Exception {
    assertRefusedByServer(node(OURS), node(THEIRS, "allow any from 192.0.2.0/24"));
  }

  @Test
  void anyCertificateWhereTheOperatorSaysSo() throws Exception {
    LinkNode a = node(OURS, "allow any from 127.0.0.0/8");
    LinkNode b = node(THEIRS, "allow any from 127.0.0.0/8");
    LinkNode.Side from = meet(a, b);
    assertEquals("", from.link.peerName(), "protected, and from nobody knows whom");
    assertEquals(TLS, from.link.stack());
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void aClientWithoutACertificateNeverGetsToGist(String version) throws Exception {
    LinkNode b = node(THEIRS, "allow any");
    try (SSLSocket socket = client(b, null, version)) {
      socket.startHandshake();
      socket.getOutputStream().write(MESSAGE);
      assertEquals(-1, read(socket));
    } catch (IOException e) {
      assertTrue(e.getMessage() != null, "refused in the handshake: as good");
    }
    loop.until(() -> b.count(Counter.PEER_UNAUTHORISED) == 1);
    assertEquals(List.of(), b.accepted);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void bothVersionsOfTls(String version) throws Exception {
    LinkNode b = node(THEIRS, LinkNode.allow(OURS));
    try (SSLSocket socket = client(b, OURS, version)) {
      socket.startHandshake();
      assertEquals(version, socket.getSession().getProtocol());
      socket.getOutputStream().write(MESSAGE);
      loop.until(() -> b.accepted.size() == 1 && b.accepted.get(0).received.size() == 1);
      assertArrayEquals(MESSAGE, b.accepted.get(0).received.get(0));
    }
  }

  @Test
  void theHighestVersionOfBothIsUsed() throws Exception {
    LinkNode b = node(THEIRS, LinkNode.allow(OURS));
    try (SSLSocket socket = client(b, OURS, "TLSv1.2", "TLSv1.3")) {
      socket.startHandshake();
      assertEquals("TLSv1.3", socket.getSession().getProtocol());
    }
  }

  @Test
  void nobodyBetweenReadsAMessageOrChangesIt() throws Exception {
    LinkNode a = node(OURS, LinkNode.allow(THEIRS));
    LinkNode b = node(THEIRS, LinkNode.allow(OURS));
    try (Wiretap tap = new Wiretap(loopback, b.port(TLS))) {
      LinkNode.Side side = a.connect(TLS, loopback, tap.port());
      loop.until(() -> side.connected && b.accepted.size() == 1);
      LinkNode.Side other = b.accepted.get(0);
      send(side);
      loop.until(() -> other.received.size() == 1);
      assertFalse(tap.heard().isEmpty());
      assertFalse(tap.heard().contains(HexFormat.of().formatHex(MESSAGE)));
      tap.damage();
      send(side);
      loop.until(() -> !other.closed.isEmpty());
      assertEquals(1, other.received.size());
    }
  }

  private void send(LinkNode.Side side) throws Exception {
    loop.on(
        () -> {
          side.link.send(MESSAGE);
          return null;
        });
  }

  /** The ClientHello knows nothing newer than TLS 1.1, as RFC 4346 draws it. */
  @Test
  void aHelloOfTls11IsRefused() throws Exception {
    LinkNode b = node(THEIRS, "allow any");
    String hello = "0302" + "00".repeat(32) + "00" + "0002" + "002f" + "01" + "00";
    byte[] record = HexFormat.of().parseHex("160301002d" + "01000029" + hello);
    try (Socket socket = new Socket(loopback, b.port(TLS))) {
      socket.getOutputStream().write(record);
      byte[] answer = socket.getInputStream().readAllBytes();
      assertEquals(0x15, answer[0], "an alert");
      assertEquals(70, answer[answer.length - 1], "protocol_version");
    }
    assertEquals(List.of(), b.accepted);
  }

  /** RFC 5971 section 5.7.3.1 has a rule for pre-shared keys; we must never come to need it. */
  @Test
  void ourHelloOffersNoPreSharedKey() throws Exception {
    LinkNode a = node(OURS, "allow any");
    try (ServerSocket server = new ServerSocket(0, 1, loopback)) {
      a.connect(TLS, loopback, server.getLocalPort());
      try (Socket socket = server.accept()) {
        ClientHello hello = ClientHello.read(socket.getInputStream());
        assertTrue(hello.suites().contains(0x1301), "TLS_AES_128_GCM_SHA256: read at all");
        assertEquals(List.of(), hello.suites().stream().filter(LinkTlsTest::preShared).toList());
        assertFalse(hello.extensions().contains(ClientHello.PRE_SHARED_KEY));
      }
    }
  }

  /** Returns true for the suites of RFC 4279, 4785, 5487, 5489, 6209, 6367, 6655, 7905 and 8442. */
  private static boolean preShared(int suite) {
    return within(suite, 0x002c, 0x002e)
        || within(suite, 0x008a, 0x0095)
        || within(suite, 0x00a8, 0x00b9)
        || within(suite, 0xc033, 0xc03b)
        || within(suite, 0xc064, 0xc069)
        || within(suite, 0xc06a, 0xc06f)
        || within(suite, 0xc08e, 0xc09b)
        || within(suite, 0xc0a4, 0xc0ab)
        || within(suite, 0xccab, 0xccae)
        || within(suite, 0xd001, 0xd005);
  }

  private static boolean within(int value, int first, int last) {
    return value >= first && value <= last;
  }

  @ParameterizedTest
  @ValueSource(strings = {"008c", "00a8", "00ae", "c035", "c0a4", "ccab", "d001"})
  void aHelloOfPreSharedKeysIsRefused(String suite) throws Exception {
    LinkNode b = node(THEIRS, "allow any");
    try (Socket socket = helloOf(b, suite)) {
      byte[] answer = socket.getInputStream().readAllBytes();
      assertEquals(0x15, answer[0], "an alert");
      assertEquals(40, answer[answer.length - 1], "handshake_failure");
    }
    try (Socket socket = helloOf(b, "c02b")) {
      assertEquals(0x16, read(socket), "with certificates, the same hello is taken up");
    }
    assertEquals(List.of(), b.accepted);
  }

  /** Sends a hello of TLS 1.2 that offers one suite and nothing else. */
  private Socket helloOf(LinkNode server, String suite) throws Exception {
    String hello = "0303" + "00".repeat(32) + "00" + "0002" + suite + "01" + "00";
    Socket socket = new Socket(loopback, server.port(TLS));
    socket.getOutputStream().write(HexFormat.of().parseHex("160303002d" + "01000029" + hello));
    return socket;
  }

  @Test
  void bytesThatAreNoTlsAreCounted() throws Exception {
    LinkNode b = node(THEIRS, "allow any");
    try (Socket socket = new Socket(loopback, b.port(TLS))) {
      socket.getOutputStream().write(MESSAGE);
      assertTrue(socket.getInputStream().readAllBytes().length < 100, "an alert at most");
    }
    assertEquals(1, b.count(Counter.TLS_FAILED));
    assertEquals(List.of(), b.accepted);
  }

  @Test
  void editingTheListClosesWhoIsNoLongerOnIt() throws Exception {
    NodeCertificate third = LinkNode.certificate("c.example");
    LinkNode a = node(OURS, LinkNode.allow(THEIRS));
    LinkNode b = node(THEIRS, LinkNode.allow(OURS), LinkNode.allow(third));
    LinkNode c = node(third, LinkNode.allow(THEIRS));
    LinkNode.Side fromA = meet(a, b);
    LinkNode.Side fromC = meet(c, b);
    LinkNode.Side plain = c.connect(LinkNode.TCP, loopback, b.port(LinkNode.TCP));
    loop.until(() -> plain.connected && b.accepted.size() == 3);
    b.peers.replace(LinkNode.entries(LinkNode.allow(third)), List.of());
    loop.until(() -> !fromA.closed.isEmpty());
    assertEquals(List.of("no longer an authorised peer"), b.accepted.get(0).closed);
    assertEquals(1, b.count(Counter.PEER_REVOKED));
    // The other two connections live. The peer that was removed does not come back, with or without
    // a session ticket.
    loop.on(
        () -> {
          fromC.link.send(MESSAGE);
          plain.link.send(MESSAGE);
          return null;
        });
    loop.until(
        () -> b.accepted.get(1).received.size() == 1 && b.accepted.get(2).received.size() == 1);
    assertRefusedByServer(a, b);
    assertEquals(3, b.accepted.size());
  }

  @Test
  void editingTheClientsListClosesItsSide() throws Exception {
    LinkNode a = node(OURS, LinkNode.allow(THEIRS));
    LinkNode b = node(THEIRS, LinkNode.allow(OURS));
    LinkNode.Side side = meet(a, b);
    a.peers.replace(List.of(), List.of());
    loop.until(() -> !side.closed.isEmpty() && !b.accepted.get(0).closed.isEmpty());
    assertEquals(List.of("no longer an authorised peer"), side.closed);
    LinkNode.Side again = connect(a, b);
    loop.until(() -> !again.closed.isEmpty());
    assertFalse(again.connected, "a resumed session does not help");
  }

  private SSLSocket client(LinkNode server, NodeCertificate certificate, String... versions)
      throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(
        certificate == null ? new KeyManager[0] : keyManagers(certificate),
        new TrustManager[] {new TrustAll()},
        new SecureRandom());
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(loopback, server.port(TLS));
    socket.setEnabledProtocols(versions);
    return socket;
  }

  private static KeyManager[] keyManagers(NodeCertificate certificate) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    Certificate[] chain = certificate.chain().toArray(new Certificate[0]);
    store.setKeyEntry("key", certificate.key(), new char[0], chain);
    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
    factory.init(store, new char[0]);
    return factory.getKeyManagers();
  }

  private static int read(Socket socket) {
    try {
      return socket.getInputStream().read();
    } catch (IOException e) {
      return -1;
    }
  }

  /** A client that accepts every server. */
  private static final class TrustAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String exchange) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String exchange) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
