// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

/** An event in the life of one incarnation of a module. */
public enum ModuleEvent {
  /** It was accepted, or found in the log without having run. */
  START,
  /** It was found in the log and had run before the controller stopped. */
  RESTORE,
  /** The verified bundle is stored. */
  FETCHED,
  FETCH_FAILED,
  /** The container's agent is ready and does not have it. */
  CONTAINER_READY,
  /** The container's agent is ready and says that it runs there. */
  CONTAINER_HAS_IT,
  /** The container cannot be started in time. */
  CONTAINER_FAILED,
  /** The container died, or its agent's connection. */
  CONTAINER_LOST,
  INSTALLED,
  INSTALL_FAILED,
  /**
   * Its start did not end in its time, the agent did not answer the install in its time, or the
   * publisher's file system had no room for the bundle.
   */
  INSTALL_LATE,
  /** The spawner has written the filter list with its filters. */
  FILTERED,
  FILTER_FAILED,
  /** An attempt to replace it took it out of the container and failed. It must come back. */
  BRING_BACK,
  /** It threw so often that its container's dispatcher shows it no packet any more. */
  QUARANTINE,
  /** The operator wants a quarantined module to run again. */
  RELEASE,
  /** A newer incarnation runs in its place. */
  SUPERSEDED,
  /** The publisher, or the operator, wants it gone. */
  REMOVE,
  /** Its last claim or its idle time ran out. */
  EXPIRE,
  /** It made its container die too often. */
  CRASH_LOOP,
  /** All steps are undone. */
  UNDONE
}
