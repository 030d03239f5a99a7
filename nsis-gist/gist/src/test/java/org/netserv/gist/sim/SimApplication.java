// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.sim;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.PeeringDecision;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.SendRequest;
import org.netserv.gist.SignalingApplication;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.gist.wire.SessionId;

/** An application that records its calls and follows the test's instructions. */
public final class SimApplication implements SignalingApplication {
  public static final int NSLPID = 32_710;
  public static final int ROUTER_ALERT = 65_503;

  private final SimHost host;
  public final List<ReceivedMessage> queries = new ArrayList<>();
  public final List<ReceivedMessage> received = new ArrayList<>();

  /** {@code "handle STATUS detail"}. */
  public final List<String> statuses = new ArrayList<>();

  public final List<NetworkNotification> notifications = new ArrayList<>();
  public Function<ReceivedMessage, PeeringDecision> decision = q -> PeeringDecision.ACCEPT;
  public Consumer<ReceivedMessage> onReceived = m -> {};

  SimApplication(SimHost host) {
    this.host = host;
  }

  /** Returns the flow between two hosts, downstream. */
  public static PathCoupledMri flow(SimHost from, SimHost to) {
    return PathCoupledMri.between(from.address(), to.address());
  }

  public static SessionId session(int number) {
    byte[] bytes = new byte[16];
    Arrays.fill(bytes, (byte) 0x55);
    bytes[12] = (byte) (number >> 24);
    bytes[13] = (byte) (number >> 16);
    bytes[14] = (byte) (number >> 8);
    bytes[15] = (byte) number;
    return new SessionId(bytes);
  }

  /** Sends a text; the text is the handle too. */
  public void send(String text, SessionId session, Mri mri, TransferAttributes attributes) {
    host.node.sendMessage(
        new SendRequest(
            text.getBytes(StandardCharsets.UTF_8),
            text,
            NSLPID,
            session,
            mri,
            null,
            attributes,
            null,
            -1));
  }

  /** Returns the texts received, without padding. */
  public List<String> texts() {
    return received.stream().map(SimApplication::text).toList();
  }

  public static String text(ReceivedMessage message) {
    return new String(message.payload(), StandardCharsets.UTF_8).replace("\0", "");
  }

  @Override
  public int nslpId() {
    return NSLPID;
  }

  @Override
  public int routerAlert() {
    return ROUTER_ALERT;
  }

  @Override
  public PeeringDecision check(ReceivedMessage query) {
    queries.add(query);
    return decision.apply(query);
  }

  @Override
  public void received(ReceivedMessage message) {
    received.add(message);
    onReceived.accept(message);
  }

  @Override
  public void messageStatus(Object handle, MessageStatus status, String detail) {
    statuses.add((handle + " " + status + " " + detail).strip());
  }

  @Override
  public void notified(NetworkNotification notification) {
    notifications.add(notification);
  }
}
