// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;

/** One end of a flow in a test: keeps all that the flow does. */
final class End extends ToldPort {
  static final ServiceId SERVICE = ServiceId.parse("00004001");

  final Flow flow;
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
  public void freeze() {
    frozen = true;
  }

  @Override
  public void thaw() {
    frozen = false;
  }
}
