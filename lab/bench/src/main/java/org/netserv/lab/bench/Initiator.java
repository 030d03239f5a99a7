// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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
import org.netserv.gist.net.AuthorisedPeers;
import org.netserv.gist.net.EventLoopTimers;
import org.netserv.gist.net.HostNetwork;
import org.netserv.gist.net.LinkSettings;
import org.netserv.gist.net.NettyLinks;
import org.netserv.gist.net.NodeCertificate;
import org.netserv.gist.net.PeerEntry;
import org.netserv.gist.net.SocketPort;
import org.netserv.gist.node.GistNode;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.SessionId;
import org.netserv.nslp.NslpMessage;

/**
 * A GIST node that only sends requests, like the node of a publisher's host. It runs on its event
 * loop.
 */
final class Initiator implements SignalingApplication {
  private static final int IDENTITY = 16;

  private final SecureRandom random = new SecureRandom();
  private final AssociationTable associations;
  private final GistNode node;
  private final Map<SessionId, Sample> samples = new HashMap<>();

  /** Times of one message in ns: until it had left, and until the peer's answer arrived. */
  static final class Sample {
    private final long begin = System.nanoTime();
    private final boolean answered;
    private final CompletableFuture<Sample> end = new CompletableFuture<>();
    private long left;
    private long answer;

    private Sample(boolean answered) {
      this.answered = answered;
    }

    long left() {
      return left;
    }

    long answer() {
      return answer;
    }

    private void step() {
      if (left != 0 && (answer != 0 || !answered)) {
        end.complete(this);
      }
    }
  }

  /**
   * Makes a node.
   *
   * @param certificate null to go without TLS
   */
  Initiator(EventLoop loop, NodeCertificate certificate) {
    EventLoopTimers timers = new EventLoopTimers(loop);
    AssociationCounters counters = new AssociationCounters();
    AuthorisedPeers peers = new AuthorisedPeers(List.of(PeerEntry.parse("allow any")), List.of());
    SocketPort port = new SocketPort(loop);
    NettyLinks links =
        new NettyLinks(loop, loop, LinkSettings.connectOnly(true), certificate, peers, counters);
    associations = new AssociationTable(GistSettings.DEFAULT, links, timers, random, counters);
    byte[] identity = new byte[IDENTITY];
    random.nextBytes(identity);
    node =
        new GistNode(
            GistSettings.DEFAULT,
            identity,
            port,
            new HostNetwork(timers::now),
            associations,
            timers,
            random,
            new GistCounters());
    node.register(this);
  }

  /**
   * Sends a message of a new session.
   *
   * @param answered true if the peer's application answers it
   */
  CompletableFuture<Sample> send(
      InetAddress from, InetAddress to, TransferAttributes how, byte[] payload, boolean answered) {
    byte[] bytes = new byte[SessionId.BYTES];
    random.nextBytes(bytes);
    SessionId session = new SessionId(bytes);
    Sample sample = new Sample(answered);
    samples.put(session, sample);
    PathCoupledMri mri =
        new PathCoupledMri(from, 32, to, 32, 17, -1, -1, -1, 1 + random.nextInt(65_535), 1, false);
    node.sendMessage(new SendRequest(payload, sample, nslpId(), session, mri, null, how, null, -1));
    return sample.end;
  }

  @Override
  public int nslpId() {
    return NslpMessage.NSLP_ID;
  }

  @Override
  public int routerAlert() {
    return NslpMessage.ROUTER_ALERT;
  }

  @Override
  public PeeringDecision check(ReceivedMessage query) {
    return PeeringDecision.PASS;
  }

  @Override
  public void received(ReceivedMessage message) {
    Sample sample = samples.get(message.session());
    if (sample != null && sample.answer == 0) {
      sample.answer = System.nanoTime() - sample.begin;
      sample.step();
    }
  }

  @Override
  public void messageStatus(Object handle, MessageStatus status, String detail) {
    Sample sample = (Sample) handle;
    if (status != MessageStatus.SENT) {
      sample.end.completeExceptionally(new IllegalStateException(status + " " + detail));
    } else if (sample.left == 0) {
      sample.left = System.nanoTime() - sample.begin;
      sample.step();
    }
  }

  @Override
  public void notified(NetworkNotification notification) {
    // The message's status tells the effect of the notification.
  }

  /**
   * Closes all associations, so that the next handshake that needs an association makes a new one.
   */
  void closeAssociations() {
    associations.close();
  }
}
