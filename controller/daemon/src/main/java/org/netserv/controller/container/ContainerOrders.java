// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.Optional;
import org.netserv.controller.spawner.ContainerSpec;

/** The orders of policy for publishers' containers. */
public interface ContainerOrders {

  /** Returns the publisher's container; empty if policy does not know the publisher any more. */
  Optional<ContainerSpec> start(String user);

  /**
   * Returns the publisher that policy gives this uid. The spawner may report that its container
   * runs under another uid.
   */
  Optional<String> userOf(long uid);

  /** Returns true if this uid is one of the spares'. A container that was a spare keeps its uid. */
  boolean isSpare(long uid);
}
