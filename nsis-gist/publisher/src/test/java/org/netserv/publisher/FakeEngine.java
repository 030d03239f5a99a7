// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import org.netserv.gist.GistService;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.SendRequest;
import org.netserv.gist.SignalingApplication;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.port.LocalNetwork;
import org.netserv.gist.port.Timers;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;
import org.netserv.nslp.NslpMessage;
import org.netserv.values.Addresses;

/** GIST that sends nothing, and time that the test passes. The test's thread is the only one. */
final class FakeEngine implements Engine, GistService, Timers, LocalNetwork {
  /** Routing state that was dropped. */
  record Dropped(Mri mri, SessionId session) {}

  private record Task(long at, long number, Runnable run) {}

  final Queue<SendRequest> sent = new ArrayDeque<>();
  final List<Dropped> dropped = new ArrayList<>();
  final InetAddress here = Addresses.of(new byte[] {(byte) 192, 0, 2, 10});
  boolean routed = true;
  boolean closed;
  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::number));
  private SignalingApplication application;
  private long now;
  private long numbers;

  /** Lets time pass and runs due tasks in order. */
  void pass(Duration time) {
    long until = now + time.toMillis();
    while (!tasks.isEmpty() && tasks.peek().at() <= until) {
      Task task = tasks.remove();
      now = task.at();
      task.run().run();
    }
    now = until;
  }

  /** Returns the number of timers that are set. */
  int timersSet() {
    return tasks.size();
  }

  void status(SendRequest request, MessageStatus status, String detail) {
    application.messageStatus(request.handle(), status, detail);
  }

  void notify(NetworkNotification.Kind kind, SessionId session) {
    application.notified(
        new NetworkNotification(NslpMessage.NSLP_ID, null, session, kind, null, null, ""));
  }

  /** Delivers a RESPONSE that comes up the path. */
  void respond(SendRequest request, byte[] payload) {
    application.received(
        new ReceivedMessage(
            payload,
            NslpMessage.NSLP_ID,
            request.session(),
            request.mri().flipped(),
            true,
            null,
            TransferAttributes.RELIABLE,
            "",
            0,
            1,
            1,
            0,
            true));
  }

  @Override
  public void execute(Runnable task) {
    if (!closed) {
      task.run();
    }
  }

  @Override
  public GistService gist() {
    return this;
  }

  @Override
  public Timers timers() {
    return this;
  }

  @Override
  public LocalNetwork network() {
    return this;
  }

  @Override
  public List<String> limits() {
    return List.of();
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public void register(SignalingApplication app) {
    application = app;
  }

  @Override
  public void sendMessage(SendRequest request) {
    sent.add(request);
  }

  @Override
  public void setStateLifetime(int nslpId, Mri mri, SessionId session, Duration lifetime) {
    if (lifetime.isZero()) {
      dropped.add(new Dropped(mri, session));
    }
  }

  @Override
  public void verifyPeer(int nslpId, Mri mri, SessionId session, Duration age, Duration patience) {
    throw new AssertionError("each exchange begins without routing state");
  }

  @Override
  public void invalidateRoutingState(
      int nslpId, Mri mri, RoutingStatus status, byte[] payload, boolean urgent) {
    throw new AssertionError("not asked for");
  }

  @Override
  public long now() {
    return now;
  }

  @Override
  public Timer schedule(long delayMillis, Runnable task) {
    Task entry = new Task(now + delayMillis, numbers++, task);
    tasks.add(entry);
    return () -> tasks.remove(entry);
  }

  @Override
  public boolean isLocal(InetAddress address) {
    return address.equals(here);
  }

  @Override
  public Optional<InetAddress> addressTowards(InetAddress destination) {
    return routed ? Optional.of(here) : Optional.empty();
  }

  @Override
  public Optional<InetAddress> addressOf(int interfaceIndex, int ipVersion) {
    return Optional.of(here);
  }

  @Override
  public int interfaceTowards(InetAddress destination) {
    return 1;
  }

  @Override
  public int mtu(int interfaceIndex) {
    return 1500;
  }
}
