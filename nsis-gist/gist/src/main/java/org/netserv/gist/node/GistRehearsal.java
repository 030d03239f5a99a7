// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.node;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistSettings;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.PeeringDecision;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.SendRequest;
import org.netserv.gist.SignalingApplication;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.association.AssociationCounters;
import org.netserv.gist.association.AssociationTable;
import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.port.LocalNetwork;
import org.netserv.gist.port.OutboundDatagram;
import org.netserv.gist.port.Timers;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.SessionId;

/**
 * Makes handshakes between two nodes in memory, before a node takes its first Query. Without them
 * the first Query waits until classes are loaded and the provider of its cookie's MAC is there. On
 * a slow machine that takes longer than a Query is held ({@link DatagramPort.Listener#received}),
 * and it goes on past the node. The peer before it then believes that it is the last node.
 *
 * <pre>
 *   querier                       responder
 *      | --- Query (intercepted) ---> |  check
 *      | <-- Response --------------- |
 *      | --- Data ------------------> |  received
 * </pre>
 *
 * <p>Every other message asks for an association, as the messages of NetServ do. Then the Query has
 * a Stack-Proposal, and Confirm and Data go by a connection.
 */
public final class GistRehearsal {
  private static final int NSLP = 1;
  private static final int ROUTER_ALERT = 0;
  private static final int GIST_PORT = 270;
  private static final byte[] PAYLOAD = new byte[64];

  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private int received;

  private GistRehearsal() {}

  /**
   * Makes so many handshakes by datagrams, and as many with an association, in the caller's thread.
   * A message follows each.
   *
   * @return the messages that arrived
   */
  public static int run(int handshakes) {
    return new GistRehearsal().handshakes(handshakes);
  }

  private int handshakes(int count) {
    Half querier = new Half("192.0.2.1");
    Half responder = new Half("192.0.2.2");
    querier.peer = responder;
    responder.peer = querier;
    querier.links.to(responder.links);
    PathCoupledMri flow = PathCoupledMri.between(address("192.0.2.9"), address("198.51.100.9"));
    for (int i = 0; i < 2 * count; i++) {
      SessionId session = new SessionId(ByteBuffer.allocate(16).putInt(i + 1).array());
      TransferAttributes attributes =
          i % 2 == 0 ? TransferAttributes.UNRELIABLE : TransferAttributes.RELIABLE;
      querier.node.sendMessage(
          new SendRequest(PAYLOAD, null, NSLP, session, flow, null, attributes, null, -1));
      while (!tasks.isEmpty()) {
        tasks.remove().run();
      }
    }
    return received;
  }

  private static InetAddress address(String literal) {
    try {
      return InetAddress.getByName(literal);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(literal, e);
    }
  }

  /** One of the two nodes, with all that it asks for. */
  private final class Half implements DatagramPort, LocalNetwork, Timers, SignalingApplication {
    private final InetAddress own;
    private final RehearsalLinks links = new RehearsalLinks(tasks);
    private final GistNode node;
    private DatagramPort.Listener datagrams;
    private Half peer;
    private long tokens;

    Half(String address) {
      own = address(address);
      SecureRandom random = new SecureRandom();
      AssociationTable associations =
          new AssociationTable(
              GistSettings.DEFAULT, links, this, random, new AssociationCounters());
      node =
          new GistNode(
              GistSettings.DEFAULT,
              own.getAddress(),
              this,
              this,
              associations,
              this,
              random,
              new GistCounters());
      node.register(this);
    }

    private void arrive(OutboundDatagram datagram) {
      boolean local = datagram.destination().equals(own);
      datagrams.received(
          new InboundDatagram(
              local ? 0 : ++tokens,
              datagram.source() == null ? peer.own : datagram.source(),
              datagram.sourcePort() == 0 ? GIST_PORT : datagram.sourcePort(),
              datagram.destination(),
              datagram.destinationPort(),
              datagram.ttl(),
              datagram.trafficClass(),
              datagram.flowLabel(),
              datagram.routerAlert(),
              1,
              local,
              datagram.payload()));
    }

    @Override
    public void send(OutboundDatagram datagram) {
      tasks.add(() -> peer.arrive(datagram));
    }

    @Override
    public void forward(long token) {}

    @Override
    public void forward(long token, byte[] payload) {}

    @Override
    public void consume(long token) {}

    @Override
    public void listen(DatagramPort.Listener listener) {
      datagrams = listener;
    }

    @Override
    public boolean isLocal(InetAddress address) {
      return address.equals(own);
    }

    @Override
    public Optional<InetAddress> addressTowards(InetAddress destination) {
      return Optional.of(own);
    }

    @Override
    public Optional<InetAddress> addressOf(int interfaceIndex, int ipVersion) {
      return ipVersion == 4 ? Optional.of(own) : Optional.empty();
    }

    @Override
    public int interfaceTowards(InetAddress destination) {
      return 1;
    }

    @Override
    public int mtu(int interfaceIndex) {
      return 1500;
    }

    @Override
    public long now() {
      return 0;
    }

    /** Runs what is due at once. Nothing else becomes due. */
    @Override
    public Timer schedule(long delayMillis, Runnable task) {
      if (delayMillis == 0) {
        tasks.add(task);
      }
      return () -> tasks.remove(task);
    }

    @Override
    public int nslpId() {
      return NSLP;
    }

    @Override
    public int routerAlert() {
      return ROUTER_ALERT;
    }

    @Override
    public PeeringDecision check(ReceivedMessage query) {
      return PeeringDecision.ACCEPT;
    }

    @Override
    public void received(ReceivedMessage message) {
      received++;
    }

    @Override
    public void messageStatus(Object handle, MessageStatus status, String detail) {}

    @Override
    public void notified(NetworkNotification notification) {}
  }
}
