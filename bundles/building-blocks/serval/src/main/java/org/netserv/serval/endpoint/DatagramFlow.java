// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.flow.Flow;

/**
 * A flow of connected datagrams. Datagrams may get lost, doubled and out of order. The flow goes on
 * when either end moves. All calls are on the thread of the endpoint.
 */
public final class DatagramFlow {
  private final ServalEndpoint endpoint;
  private final ServiceId service;
  private FlowHandler handler;
  private Flow flow;
  private boolean open;
  private boolean closed;

  DatagramFlow(ServalEndpoint endpoint, ServiceId service, FlowHandler handler) {
    this.endpoint = endpoint;
    this.service = service;
    this.handler = handler;
  }

  /** Takes the flow below, which is made after its surroundings. */
  void begin(Flow made) {
    flow = made;
  }

  Flow flow() {
    return flow;
  }

  // ---- calls of the program

  /**
   * Sends a datagram.
   *
   * @param payload at least one byte, from its position to its limit, which stay as they are
   * @return false if it was refused; {@link ServalEndpoint#verdicts} has counted the reason
   */
  public boolean send(ByteBuffer payload) {
    return endpoint.send(this, payload);
  }

  /**
   * Closes the flow for datagrams of both ends. The peer gets to know it even if packets are lost.
   * A second call does nothing.
   */
  public void close() {
    endpoint.close(this);
  }

  /** Returns the service: the target of a client, the bound serviceID of a server. */
  public ServiceId service() {
    return service;
  }

  /** Tells whether datagrams may be sent. */
  public boolean isOpen() {
    return open;
  }

  /** Returns the address of this end. */
  public Endpoint own() {
    return flow.own();
  }

  /** Returns the address of the peer, null as long as no instance has answered. */
  public Endpoint peer() {
    return flow.peer();
  }

  // ---- events, outside of the flow table

  void connected() {
    if (!closed) {
      open = true;
      handler.connected(this);
    }
  }

  /** Gives the flow of a server its program. */
  void accepted(FlowHandler program) {
    handler = program;
    connected();
  }

  void received(ByteBuffer payload) {
    handler.received(this, payload);
  }

  void moved() {
    if (open) {
      handler.moved(this);
    }
  }

  /** Tells the program once. A flow that it has never seen ends unseen. */
  void closed(FlowEnd end) {
    boolean first = !closed;
    open = false;
    closed = true;
    if (first && handler != null) {
      handler.closed(this, end);
    }
  }

  boolean isClosed() {
    return closed;
  }
}
