// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import org.netserv.serval.Endpoint;
import org.netserv.serval.flow.FlowPort;
import org.netserv.serval.flow.Outgoing;

/**
 * Carries the events of a flow to its endpoint. Packets leave at once. The program hears the rest
 * when the flow table has done its work, because it may call the table then.
 */
final class FlowEvents implements FlowPort {
  private final ServalEndpoint endpoint;
  private final DatagramFlow flow;
  private final Binding binding; // null for the flow of a client

  FlowEvents(ServalEndpoint endpoint, DatagramFlow flow, Binding binding) {
    this.endpoint = endpoint;
    this.flow = flow;
    this.binding = binding;
  }

  @Override
  public void send(Outgoing outgoing) {
    endpoint.control(outgoing);
  }

  @Override
  public void connected() {
    endpoint.later(binding == null ? flow::connected : () -> binding.accept(flow));
  }

  @Override
  public void peerClosed() {
    endpoint.later(() -> endpoint.end(flow, FlowEnd.PEER));
  }

  @Override
  public void reset() {
    endpoint.later(() -> flow.closed(FlowEnd.RESET));
  }

  @Override
  public void silent() {
    endpoint.later(() -> flow.closed(FlowEnd.SILENT));
  }

  /** Datagrams have no timer. */
  @Override
  public void freeze() {}

  @Override
  public void thaw() {}

  @Override
  public void ownMoved(Endpoint own) {
    endpoint.later(flow::moved);
  }

  @Override
  public void peerMoved(Endpoint peer) {
    endpoint.later(flow::moved);
  }

  @Override
  public void forget() {
    endpoint.later(() -> endpoint.forget(flow));
  }
}
