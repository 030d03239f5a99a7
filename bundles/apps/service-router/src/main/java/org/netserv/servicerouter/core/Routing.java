// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.nio.ByteBuffer;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.TableRefusal;

/** The table of a router and its socket, for feeders on the router's thread. */
public interface Routing {
  /** Puts a rule into the table. Packets that wait for its prefix go on. */
  TableRefusal put(Rule rule, long now);

  /** Takes a rule back. Returns false if it is not there. */
  boolean withdraw(Rule rule);

  /** Drops the packets that wait for a serviceID. Each counts as {@code LOOKUP_NONE}. */
  void refuse(ServiceId id);

  /** Sends a payload, the whole capacity of a buffer, from the router's own serviceID. */
  void send(ServiceId to, Endpoint host, ByteBuffer payload);
}
