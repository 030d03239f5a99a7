// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;

/**
 * Takes what happens to modules: the events of {@link ModuleMachine}, and news that lead to them.
 * {@link ModuleRunner} is the driver. On the loop.
 */
interface ModuleDriver {
  /** Lets the machine take an event, and does its action. */
  void fire(ModuleLife life, ModuleEvent event, String why);

  /** Fires an event. If it leads to an end, the end state is FAILED with this answer. */
  void fail(ModuleLife life, ModuleEvent event, Answer why);

  /** Puts a line about a module into its history and into the log. */
  void note(ModuleLife life, String why);

  /** Gives a module the settings of its order, and takes back the refreshes that it refuses. */
  void configure(ModuleLife life);

  /**
   * Takes back the refreshes since a module ran last, because it does not come up with them.
   *
   * @return whether there was a refresh, so that the module has its settings of before again
   */
  boolean refuseRefresh(ModuleLife life, Answer why);

  /**
   * Quarantines a module, because its container shows it no packet any more.
   *
   * @param sha256 of the bundle that threw
   */
  void quarantine(ModuleKey key, String sha256, String reason);

  /**
   * Undoes a module in any state.
   *
   * @param end REMOVED, EXPIRED or FAILED
   * @param gone runs when all is undone, or at once if there is nothing
   */
  void remove(ModuleKey key, ModuleState end, Answer why, Runnable gone);
}
