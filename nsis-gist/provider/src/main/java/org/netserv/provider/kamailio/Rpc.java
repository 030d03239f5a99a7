// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.kamailio;

import java.util.List;
import java.util.function.Consumer;

/** Calls to Kamailio that nobody waits for. */
@FunctionalInterface
public interface Rpc {
  /**
   * Calls a method of Kamailio.
   *
   * @param arguments strings and integers
   * @param done gets the answer on the provider's thread
   * @return false if too many calls wait already; {@code done} hears nothing then
   */
  boolean call(String method, List<?> arguments, Consumer<RpcAnswer> done);
}
