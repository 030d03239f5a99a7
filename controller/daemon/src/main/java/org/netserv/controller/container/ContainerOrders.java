// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.Map;
import java.util.Optional;

/** What policy says about a publisher's container. */
public interface ContainerOrders {

  /**
   * The keys of the spawner's verb {@code start}; empty if policy does not know the publisher any
   * more.
   */
  Optional<Map<String, String>> start(String user);

  /** The keys of the spawner's verb {@code spares}. */
  Map<String, String> spares();

  /**
   * The publisher whose container runs under this uid, unless the spawner says that it runs under
   * another.
   */
  Optional<String> userOf(long uid);

  /** Whether containers run under this uid that were spares. */
  boolean isSpare(long uid);
}
