// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

/** An action of {@link ModuleRunner} on a transition, after the state has changed. */
public enum ModuleAction {
  NOTHING,
  /** The event has no meaning in this state. It is counted and logged, and changes nothing. */
  UNEXPECTED,
  FETCH,
  AWAIT_CONTAINER,
  INSTALL,
  /**
   * Count a fault of the container, as its crash is counted, and start the container again. The
   * module waits for it.
   */
  RESTART_CONTAINER,
  WRITE_FILTERS,
  ANNOUNCE,
  /**
   * The module runs again, with its present settings. Tell the senders that still wait, if there
   * are any.
   */
  SETTLE,
  /** Remember the quarantine, take the filters away, and tell the senders that wait. */
  ISOLATE,
  /** Undo all steps in reverse order. UNDONE follows. */
  UNDO,
  /** The incarnation has ended: answer, log, notify. */
  FINISH
}
