// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import org.netserv.serval.ServiceId;

/**
 * A flow of connected datagrams. Datagrams may get lost, doubled and out of order. All calls are on
 * the thread of the endpoint.
 */
public final class DatagramFlow extends NamedFlow {
  /** Carries out the calls of the program. */
  interface Port {
    boolean send(DatagramFlow flow, ByteBuffer payload);

    void close(DatagramFlow flow);
  }

  private final Port port;
  private FlowHandler handler;

  DatagramFlow(Port port, ServiceId service, FlowHandler handler) {
    super(service);
    this.port = port;
    this.handler = handler;
  }

  /**
   * Sends a datagram.
   *
   * @param payload at least one byte, from its position to its limit, which stay as they are
   * @return false if it was refused; {@link ServalEndpoint#verdicts} has counted the reason
   */
  public boolean send(ByteBuffer payload) {
    return port.send(this, payload);
  }

  /**
   * Closes the flow for datagrams of both ends. The peer gets to know it even if packets are lost.
   * A second call does nothing.
   */
  public void close() {
    port.close(this);
  }

  void received(ByteBuffer payload) {
    handler.received(this, payload);
  }

  /** Gives the flow of a server its program. False if that is null. */
  boolean accepted(FlowHandler program) {
    handler = program;
    return program != null;
  }

  @Override
  void tellConnected() {
    handler.connected(this);
  }

  @Override
  void tellMoved() {
    handler.moved(this);
  }

  @Override
  void tellClosed(FlowEnd end) {
    if (handler != null) {
      handler.closed(this, end);
    }
  }

  @Override
  void forgotten() {
    closed(FlowEnd.SILENT);
  }
}
