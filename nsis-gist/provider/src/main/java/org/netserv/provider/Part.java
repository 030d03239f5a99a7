// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.netserv.provider.agents.AgentTable;

/**
 * A part of the provider: one module and its way of deciding toward which agents it goes. It hears
 * of agents as {@link AgentTable.Listener}. Belongs to the provider's thread; times are
 * milliseconds since 1970.
 */
interface Part extends AgentTable.Listener {
  /** The name of its section in provider.yaml. */
  String name();

  /** Takes up the state of the process before this one. The agents follow. */
  void restore(long now);

  /** The agents of the process before this one have come. */
  void settle(long now);

  /** A connection to Kamailio was made, which may have forgotten all. */
  void connected(long now);

  /** Does all that is due. */
  void turn(long now);

  /** Its section of the status. */
  ObjectNode status(long now);

  /** Ends what it has started. From any thread, before the publisher's client is closed. */
  default void close() {}
}
