// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

import java.util.function.Consumer;

/**
 * Throw-away processes that talk to strangers for the controller. Used and answered on the loop.
 */
public interface Jobs {

  /**
   * Fetches and verifies a bundle. {@code done} is called exactly once, with the bundle in the
   * store if it was good.
   */
  void fetch(FetchOrder order, Consumer<FetchOutcome> done);

  /**
   * Tells the publisher about an end state. The log says whether it arrives, and nothing else
   * follows.
   */
  void tell(NotifyOrder order);

  /** Jobs under way. */
  int running();
}
