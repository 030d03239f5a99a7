// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import java.util.Comparator;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;
import org.netserv.serval.flow.Flow;
import org.netserv.serval.flow.FlowPort;
import org.netserv.serval.flow.Outgoing;

/** A flow in the table. It stands between the flow and its surroundings, to see the flow's life. */
final class HeldFlow implements FlowPort {
  /** The order in which something is due. */
  static final Comparator<HeldFlow> BY_TIME =
      Comparator.comparingLong((HeldFlow held) -> held.dueAt).thenComparingInt(held -> held.flowId);

  /** A client's flow, as a SYN names it. A client that starts again has another nonce. */
  record Client(Endpoint from, int flowId, long nonce) {
    static Client of(ControlMessage message, Endpoint from) {
      return new Client(from, message.sourceFlow(), message.nonce());
    }
  }

  final int flowId;
  final Client client; // null for flows of this host's own
  private final FlowPort port;
  private final FlowTable table;
  private Flow flow;
  private long dueAt = Long.MAX_VALUE;
  private boolean request;
  private Endpoint asked; // where the last SYN of a client went
  private int syns; // of a client

  HeldFlow(int flowId, Client client, FlowPort port, FlowTable table) {
    this.flowId = flowId;
    this.client = client;
    this.port = port;
    this.table = table;
  }

  Flow flow() {
    return flow;
  }

  void flow(Flow made) {
    flow = made;
  }

  /** Tells whether the client has not acknowledged yet. */
  boolean isRequest() {
    return request;
  }

  void request(boolean waits) {
    request = waits;
  }

  Endpoint asked() {
    return asked;
  }

  /** Notes where a SYN goes. Returns the number of SYNs until now, this one among them. */
  int asked(Endpoint target) {
    asked = target;
    return ++syns;
  }

  long dueAt() {
    return dueAt;
  }

  /** Takes over the time of the flow. Only while this is in no order. */
  void schedule() {
    dueAt = flow.dueAt();
  }

  @Override
  public void send(Outgoing outgoing) {
    port.send(outgoing);
  }

  @Override
  public void connected() {
    table.answered(this);
    port.connected();
  }

  @Override
  public void peerClosed() {
    port.peerClosed();
  }

  @Override
  public void reset() {
    port.reset();
  }

  @Override
  public void silent() {
    port.silent();
  }

  @Override
  public void freeze() {
    port.freeze();
  }

  @Override
  public void thaw() {
    port.thaw();
  }

  @Override
  public void ownMoved(Endpoint own) {
    port.ownMoved(own);
  }

  @Override
  public void peerMoved(Endpoint peer) {
    port.peerMoved(peer);
  }

  @Override
  public void forget() {
    table.remove(this);
    port.forget();
  }
}
