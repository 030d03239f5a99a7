// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;

/** One end of a flow in a test: keeps all that the flow does. */
final class End implements FlowPort {
  static final ServiceId SERVICE = ServiceId.parse("00004001");

  final Flow flow;
  final Deque<Outgoing> sent = new ArrayDeque<>();
  final List<String> told = new ArrayList<>();
  boolean frozen;

  private End(boolean client, FlowIdentity identity, Endpoint own) {
    flow =
        client
            ? Flow.client(identity, own, SERVICE, this)
            : Flow.server(identity, own, SERVICE, this);
  }

  static End client(FlowIdentity identity, Endpoint own) {
    return new End(true, identity, own);
  }

  static End server(FlowIdentity identity, Endpoint own) {
    return new End(false, identity, own);
  }

  /** Returns how often the program was told this. */
  long told(String word) {
    return told.stream().filter(word::equals).count();
  }

  @Override
  public void send(Outgoing outgoing) {
    sent.add(outgoing);
  }

  @Override
  public void connected() {
    told.add("connected");
  }

  @Override
  public void peerClosed() {
    told.add("peer closed");
  }

  @Override
  public void reset() {
    told.add("reset");
  }

  @Override
  public void silent() {
    told.add("silent");
  }

  @Override
  public void freeze() {
    frozen = true;
  }

  @Override
  public void thaw() {
    frozen = false;
  }

  @Override
  public void ownMoved(Endpoint own) {
    told.add("own moved");
  }

  @Override
  public void peerMoved(Endpoint peer) {
    told.add("peer moved");
  }

  @Override
  public void forget() {
    told.add("forgotten");
  }
}
