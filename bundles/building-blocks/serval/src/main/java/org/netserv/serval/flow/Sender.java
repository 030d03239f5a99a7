// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import org.netserv.serval.ControlFlags;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.Way;

/** Makes the control messages of a flow. */
final class Sender {
  private final FlowIdentity identity;
  private final Remote remote;
  private final FlowPort port;

  Sender(FlowIdentity identity, Remote remote, FlowPort port) {
    this.identity = identity;
    this.remote = remote;
    this.port = port;
  }

  /** Sends a message with a verno, the SYN among them. */
  void numbered(int flags, int verno, Endpoint from, Endpoint to, ServiceId target) {
    boolean answersSyn = flags == (ControlFlags.SYN | ControlFlags.ACK);
    int abilities = answersSyn ? identity.abilities() : 0;
    boolean first = flags == ControlFlags.SYN;
    boolean byRouters = answersSyn && remote.way().back() != null;
    Endpoint peer = byRouters ? remote.way().back() : to;
    Endpoint receiver = first ? null : peer;
    send(flags, abilities, verno, from, receiver, first ? target : null, 0);
  }

  /** Sends a message without a verno. It shows the verno of the next one. */
  void plain(int flags, int next, Endpoint from, Endpoint to) {
    send(flags, 0, next, from, to, null, 0);
  }

  /** Sends the third message of the handshake. */
  void handshake(int next, Endpoint from, Endpoint to, ServiceId target, int capability) {
    send(ControlFlags.ACK, 0, next, from, to, target, capability);
  }

  /** Sends a RST for a message of another flow. */
  void refuse(ControlMessage message, Endpoint from, Endpoint to) {
    port.send(Outgoing.reply(message.refusal(), from, to));
  }

  private void send(
      int flags,
      int abilities,
      int verno,
      Endpoint from,
      Endpoint to,
      ServiceId service,
      int capability) {
    int ackno = remote.known() ? remote.expected() : 0;
    ControlMessage message =
        new ControlMessage(
            identity.flowId(), remote.flow(), flags, abilities, verno, ackno, identity.nonce());
    boolean answersSyn = flags == (ControlFlags.SYN | ControlFlags.ACK);
    Way way = answersSyn ? remote.way().with(from) : Way.STRAIGHT;
    port.send(new Outgoing(message, from, to, service, capability, way));
  }
}
