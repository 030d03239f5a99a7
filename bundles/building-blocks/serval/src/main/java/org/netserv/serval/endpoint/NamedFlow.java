// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.flow.Flow;

/** A flow to an instance of a service, which goes on when either end moves. */
public abstract class NamedFlow {
  private final ServiceId service;
  private Flow flow;
  private boolean open;
  private boolean closed;

  NamedFlow(ServiceId service) {
    this.service = service;
  }

  /** Returns the service: the target of a client, the bound serviceID of a server. */
  public ServiceId service() {
    return service;
  }

  /** Tells whether the handshake is over, and the flow not closed. */
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

  /** Takes the flow below, which is made after its surroundings. */
  void begin(Flow made) {
    flow = made;
  }

  Flow flow() {
    return flow;
  }

  /** Tells the program, which has not been told before. */
  abstract void tellConnected();

  abstract void tellMoved();

  abstract void tellClosed(FlowEnd end);

  /** SAL has forgotten the flow. */
  abstract void forgotten();

  void connected() {
    if (!closed) {
      open = true;
      tellConnected();
    }
  }

  void moved() {
    if (open) {
      tellMoved();
    }
  }

  /** Tells the program once. A flow that it has never seen ends unseen. */
  void closed(FlowEnd end) {
    boolean first = !closed;
    open = false;
    closed = true;
    if (first) {
      tellClosed(end);
    }
  }

  boolean isClosed() {
    return closed;
  }
}
