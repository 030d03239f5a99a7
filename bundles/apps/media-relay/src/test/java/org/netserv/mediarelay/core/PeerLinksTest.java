// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.stun.ConnectionId;
import org.netserv.stun.ErrorCode;
import org.netserv.stun.StunAddress;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunClass;
import org.netserv.stun.StunMessage;
import org.netserv.stun.StunMethod;
import org.netserv.stun.StunWriter;

/** Requests of RFC 6062, with peers that are only names. */
class PeerLinksTest implements PeerStreams {
  private final List<Stream> streams = new ArrayList<>();
  private final List<Port> ports = new ArrayList<>();
  private Stage stage;
  private Stage.User user;
  private Client client;
  private Heard heard;
  private boolean refuses;

  private final class Stream implements PeerStream {
    private final long low;
    private final int port;
    private Client data;
    private boolean closed;

    Stream(long low, int port) {
      this.low = low;
      this.port = port;
    }

    @Override
    public long high() {
      return 0;
    }

    @Override
    public long low() {
      return low;
    }

    @Override
    public int port() {
      return port;
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        heard.ended(this, 7, 9);
      }
    }
  }

  private static final class Port implements Listening {
    private final int port;
    private boolean closed;

    Port(int port) {
      this.port = port;
    }

    @Override
    public int port() {
      return port;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  @Override
  public Listening listen(int family, int port, Heard by) {
    heard = by;
    ports.add(new Port(port));
    return ports.get(ports.size() - 1);
  }

  @Override
  public PeerStream connect(Listening at, long high, long low, int port, Heard by)
      throws IOException {
    if (refuses) {
      throw new IOException("no");
    }
    streams.add(new Stream(low, port));
    return streams.get(streams.size() - 1);
  }

  @Override
  public void join(PeerStream peer, Client data) {
    ((Stream) peer).data = data;
  }

  @BeforeEach
  void allocate() {
    stage = new Stage(Stage.limits(100, 10), 16, 0, this);
    user = stage.user("ada");
    client = stage.client(Transport.TCP, 1);
    stage.succeed(user, client, StunMethod.ALLOCATE, Stage.tcp());
    assertEquals(1, ports.size());
  }

  private static Consumer<StunWriter> id(int id) {
    return writer -> ConnectionId.put(writer, id);
  }

  /** Connects to a peer, which answers. Returns the connection id. */
  private int connect(int port) {
    assertNull(user.ask(client, StunMethod.CONNECT, Stage.peer(port)));
    heard.connected(streams.get(streams.size() - 1));
    StunMessage answer = stage.lastSent();
    assertEquals(StunClass.SUCCESS, answer.kind());
    assertEquals(StunMethod.CONNECT, answer.method());
    return ConnectionId.get(answer);
  }

  private Client data(int number) {
    return stage.client(Transport.TCP, number);
  }

  @Test
  void aConnectionIsMadeAndBound() {
    int id = connect(80);
    Client data = data(2);
    stage.succeed(user, data, StunMethod.CONNECTION_BIND, id(id));
    assertEquals(data, streams.get(0).data);
    assertEquals(1, stage.tally.get(Why.JOINED));
    stage.pass(60);
    assertFalse(streams.get(0).closed);
  }

  @Test
  void anAnswerThatComesLaterIsSignedForItsOwnUser() {
    assertNull(user.ask(client, StunMethod.CONNECT, Stage.peer(80)));
    Stage.User other = stage.user("eve");
    stage.allocate(other, stage.client(Transport.UDP, 7));
    heard.connected(streams.get(0));
    assertTrue(stage.isSigned(stage.lastSent(), user));
  }

  @Test
  void anAnswerThatComesLaterIsSignedAfterAStrangersRequest() {
    assertNull(user.ask(client, StunMethod.CONNECT, Stage.peer(80)));
    Stage.User stranger = stage.user("eve");
    stranger.askOnce(stage.client(Transport.UDP, 7), StunMethod.ALLOCATE, Stage.udp());
    heard.connected(streams.get(0));
    assertTrue(stage.isSigned(stage.lastSent(), user));
  }

  @Test
  void anIdIsOfOneUseAndOfOneUser() {
    int id = connect(80);
    Stage.User other = stage.user("eve");
    stage.refused(441, Why.WRONG_USER, other, data(3), StunMethod.CONNECTION_BIND, id(id));
    stage.refused(400, Why.NO_CONNECTION, user, data(4), StunMethod.CONNECTION_BIND, id(id + 1));
    stage.refused(400, Why.BAD_REQUEST, user, client, StunMethod.CONNECTION_BIND, id(id));
    stage.refused(400, Why.BAD_REQUEST, user, data(4), StunMethod.CONNECTION_BIND, w -> {});
    Client udp = stage.client(Transport.UDP, 5);
    stage.refused(400, Why.BAD_REQUEST, user, udp, StunMethod.CONNECTION_BIND, id(id));
    stage.succeed(user, data(2), StunMethod.CONNECTION_BIND, id(id));
    stage.refused(400, Why.NO_CONNECTION, user, data(6), StunMethod.CONNECTION_BIND, id(id));
  }

  /** A data connection has an address of its own, and its request has no token (RFC 7635, 9). */
  @Test
  void theKeyOfATokenBindsAConnection() {
    client = data(8);
    stage.succeed(user.token("north", 100), client, StunMethod.ALLOCATE, Stage.tcp());
    user.withoutToken();
    int id = connect(80);
    stage.refused(401, Why.BAD_CREDENTIALS, user, data(9), StunMethod.CONNECTION_BIND, id(id + 1));
    stage.succeed(user, data(9), StunMethod.CONNECTION_BIND, id(id));
    assertEquals(1, stage.tally.get(Why.JOINED));
  }

  @Test
  void aConnectionThatNobodyBindsEnds() {
    int id = connect(80);
    stage.pass(29);
    assertFalse(streams.get(0).closed);
    stage.pass(2);
    assertTrue(streams.get(0).closed);
    assertEquals(1, stage.tally.get(Why.CONNECTION_UNBOUND));
    stage.refused(400, Why.NO_CONNECTION, user, data(2), StunMethod.CONNECTION_BIND, id(id));
    assertEquals(0, stage.links.count());
  }

  @Test
  void aPeerThatDoesNotAnswerIsTold() {
    assertNull(user.ask(client, StunMethod.CONNECT, Stage.peer(80)));
    heard.failed(streams.get(0), "timeout");
    StunMessage answer = stage.lastSent();
    assertEquals(447, ErrorCode.get(answer));
    assertEquals(0, stage.links.count());
    refuses = true;
    stage.refused(447, Why.CONNECTION_FAILED, user, client, StunMethod.CONNECT, Stage.peer(80));
  }

  @Test
  void onePeerHasOneConnection() {
    connect(80);
    stage.refused(446, Why.CONNECTION_EXISTS, user, client, StunMethod.CONNECT, Stage.peer(80));
    connect(81);
    heard.ended(streams.get(0), 0, 0);
    connect(80);
  }

  @Test
  void connectionsOfAnAllocationAreBounded() {
    for (int i = 0; i < PeerLinks.ALLOCATION_MOST; i++) {
      connect(1000 + i);
    }
    stage.refused(508, Why.FULL, user, client, StunMethod.CONNECT, Stage.peer(80));
  }

  @Test
  void forbiddenPeersAreRefused() {
    long loopback = Ip.v4(0x7f000001);
    stage.refused(
        403, Why.PEER_LOOPBACK, user, client, StunMethod.CONNECT, Stage.peer(0, loopback, 80));
    stage.refused(
        443,
        Why.PEER_FAMILY,
        user,
        client,
        StunMethod.CONNECT,
        Stage.peer(Stage.PEER_6_HIGH, 1, 80));
    stage.refused(400, Why.BAD_REQUEST, user, client, StunMethod.CONNECT, writer -> {});
    assertEquals(0, streams.size());
  }

  @Test
  void anAllocationOfUdpHasNoConnections() {
    Client udp = stage.client(7);
    stage.allocate(user, udp);
    stage.refused(400, Why.BAD_REQUEST, user, udp, StunMethod.CONNECT, Stage.peer(80));
    stage.refused(437, Why.NO_ALLOCATION, user, data(9), StunMethod.CONNECT, Stage.peer(80));
  }

  @Test
  void aPeerWithPermissionIsTold() {
    Stream peer = new Stream(Stage.PEER, 5555);
    heard.accepted(ports.get(0), peer);
    assertTrue(peer.closed);
    assertEquals(1, stage.tally.get(Why.PEER_NO_PERMISSION));
    stage.succeed(user, client, StunMethod.CREATE_PERMISSION, Stage.peer(0));
    peer = new Stream(Stage.PEER, 5556);
    heard.accepted(ports.get(0), peer);
    StunMessage indication = stage.lastSent();
    assertEquals(StunMethod.CONNECTION_ATTEMPT, indication.method());
    assertEquals(StunClass.INDICATION, indication.kind());
    StunAddress from = new StunAddress();
    assertTrue(from.get(indication, StunAttribute.XOR_PEER_ADDRESS));
    assertEquals(Stage.PEER, from.low());
    assertEquals(5556, from.port());
    stage.succeed(user, data(2), StunMethod.CONNECTION_BIND, id(ConnectionId.get(indication)));
    assertFalse(peer.closed);
  }

  @Test
  void theEndOfAnAllocationEndsItsConnections() {
    connect(80);
    assertNull(user.ask(client, StunMethod.CONNECT, Stage.peer(81))); // under way
    stage.server.gone(client, stage.now);
    assertTrue(streams.get(0).closed);
    assertTrue(streams.get(1).closed);
    assertTrue(ports.get(0).closed);
    assertEquals(0, stage.links.count());
    stage.lastSent();
    heard.failed(streams.get(1), "closed");
    assertNull(stage.lastSent()); // nobody is there to be told
  }
}
