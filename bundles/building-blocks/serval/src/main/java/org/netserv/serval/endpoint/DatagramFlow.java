// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import org.netserv.serval.ServiceId;

/**
 * A flow of connected datagrams. Datagrams may get lost, doubled and out of order. All calls are on
 * the thread of the endpoint.
 */
public final class DatagramFlow extends NamedFlow {
  private final ServalEndpoint endpoint;
  private FlowHandler handler;

  DatagramFlow(ServalEndpoint endpoint, ServiceId service, FlowHandler handler) {
    super(service);
    this.endpoint = endpoint;
    this.handler = handler;
  }

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
    endpoint.end(this, FlowEnd.OWN);
  }

  void received(ByteBuffer payload) {
    handler.received(this, payload);
  }

  @Override
  boolean accept(ServiceHandler service) {
    handler = service.accept(this);
    return handler != null;
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
