// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

/** What is to be done on a transition, after the state has changed. */
public enum ModuleAction {
  NOTHING,
  /** The event has no meaning in this state; it is counted and logged, and changes nothing. */
  UNEXPECTED,
  FETCH,
  AWAIT_CONTAINER,
  INSTALL,
  WRITE_FILTERS,
  ANNOUNCE,
  /** It runs again, as it is wanted now: tell whoever still waits, if anybody does. */
  SETTLE,
  /** Remember the quarantine, take the filters away, and tell whoever waits. */
  ISOLATE,
  /** Undo all steps in reverse; then UNDONE. */
  UNDO,
  /** The incarnation has ended: answer, log, notify. */
  FINISH
}
