// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.PeeringDecision;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.SignalingApplication;

/** A signaling application that records its calls. */
final class App implements SignalingApplication {
  final List<ReceivedMessage> queries = new ArrayList<>();
  final List<ReceivedMessage> received = new ArrayList<>();
  final List<NetworkNotification> notes = new ArrayList<>();

  /** "handle STATUS", one for each message status. */
  final List<String> statuses = new ArrayList<>();

  PeeringDecision decision = PeeringDecision.ACCEPT;
  Consumer<ReceivedMessage> onReceived = message -> {};
  private final int nslpId;
  private final int routerAlert;

  App(int nslpId, int routerAlert) {
    this.nslpId = nslpId;
    this.routerAlert = routerAlert;
  }

  @Override
  public int nslpId() {
    return nslpId;
  }

  @Override
  public int routerAlert() {
    return routerAlert;
  }

  @Override
  public PeeringDecision check(ReceivedMessage query) {
    queries.add(query);
    return decision;
  }

  @Override
  public void received(ReceivedMessage message) {
    received.add(message);
    onReceived.accept(message);
  }

  @Override
  public void messageStatus(Object handle, MessageStatus status, String detail) {
    statuses.add(handle + " " + status);
  }

  @Override
  public void notified(NetworkNotification notification) {
    notes.add(notification);
  }

  /** Payloads received, in hexadecimal. */
  List<String> payloads() {
    return received.stream().map(message -> Bytes.hex(message.payload())).toList();
  }

  /** Kinds of notifications, in order. */
  List<NetworkNotification.Kind> kinds() {
    return notes.stream().map(NetworkNotification::kind).toList();
  }
}
