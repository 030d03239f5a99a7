// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import org.netserv.serval.ControlFlags;
import org.netserv.serval.Endpoint;
import org.netserv.serval.flow.FlowPort;
import org.netserv.serval.flow.Outgoing;
import org.netserv.serval.stream.ConnectionPort;
import org.netserv.serval.stream.OutgoingSegment;

/**
 * Stands between a flow of SAL and its connection of TCP, and carries the events of both to the
 * program. Packets leave at once. Calls of the flow table wait until it has done its work.
 */
final class StreamEvents implements FlowPort, ConnectionPort {
  private final ServalEndpoint endpoint;
  private final ServalStream stream;
  private final Binding binding; // null for the stream of a client
  private final Runnable tellReadable;
  private final Runnable tellWritable;

  StreamEvents(ServalEndpoint endpoint, ServalStream stream, Binding binding) {
    this.endpoint = endpoint;
    this.stream = stream;
    this.binding = binding;
    tellReadable = stream::tellReadable;
    tellWritable = stream::tellWritable;
  }

  private Streams streams() {
    return endpoint.streams();
  }

  // ---- SAL

  /** Sends a message of SAL. Those of the handshake carry TCP's. */
  @Override
  public void send(Outgoing outgoing) {
    boolean third = outgoing.service() != null && !outgoing.message().has(ControlFlags.SYN);
    if (third) {
      stream.connection().answered(streams().segment(), endpoint.now());
    }
    boolean handshake = third || outgoing.message().has(ControlFlags.SYN);
    endpoint.control(outgoing, handshake ? stream.connection().handshake() : null);
  }

  @Override
  public void connected() {
    stream.connection().opened(endpoint.now());
    streams().changed(stream);
    endpoint.later(binding == null ? stream::connected : () -> binding.accept(stream));
  }

  @Override
  public void peerClosed() {
    later(() -> stream.connection().flowClosed(endpoint.now()));
  }

  @Override
  public void reset() {
    later(() -> stream.connection().flowReset(endpoint.now()));
  }

  @Override
  public void silent() {
    later(() -> stream.connection().flowSilent(endpoint.now()));
  }

  @Override
  public void freeze() {
    stream.connection().freeze();
  }

  @Override
  public void thaw() {
    stream.connection().moved(endpoint.now());
    streams().changed(stream);
  }

  @Override
  public void ownMoved(Endpoint own) {
    thaw();
    endpoint.later(stream::moved);
  }

  @Override
  public void peerMoved(Endpoint peer) {
    endpoint.later(stream::moved);
  }

  @Override
  public void forget() {
    endpoint.later(() -> endpoint.forget(stream));
  }

  private void later(Runnable change) {
    endpoint.later(
        () -> {
          change.run();
          streams().changed(stream);
        });
  }

  // ---- TCP

  @Override
  public void send(OutgoingSegment segment) {
    endpoint.send(stream, segment);
  }

  @Override
  public void readable() {
    endpoint.later(tellReadable);
  }

  @Override
  public void writable() {
    endpoint.later(tellWritable);
  }

  @Override
  public void finished() {
    endpoint.later(stream::tellFinished);
  }

  @Override
  public void broken() {
    endpoint.later(() -> stream.closed(FlowEnd.RESET));
  }

  @Override
  public void unanswered() {
    endpoint.later(() -> stream.closed(FlowEnd.SILENT));
  }

  @Override
  public void closeFlow() {
    endpoint.later(() -> endpoint.closeFlow(stream));
  }

  @Override
  public void abortFlow() {
    endpoint.later(() -> endpoint.abortFlow(stream));
  }
}
