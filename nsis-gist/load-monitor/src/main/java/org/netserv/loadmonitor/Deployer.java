// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import java.util.concurrent.CompletionStage;

/** The signaling that the monitor needs, along the path to one edge's users. */
public interface Deployer extends AutoCloseable {
  /**
   * Learns who is on the path, and has them fetch the bundle, so that a later {@link #deploy} takes
   * less time. Returns whether somebody is known already.
   */
  default boolean prepare(int edge) {
    return true;
  }

  /**
   * Has the module run, with this key for its feedback, until {@link #remove}.
   *
   * @param edge its place in the configuration
   * @param key 64 hexadecimal digits
   * @return true when a node runs it, false with a line in the log when none does
   */
  CompletionStage<Boolean> deploy(int edge, String key);

  /** Takes the module away. Returns true when it is gone. */
  CompletionStage<Boolean> remove(int edge);

  @Override
  void close();
}
