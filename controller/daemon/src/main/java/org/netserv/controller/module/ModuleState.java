// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.Locale;

/**
 * The state of one incarnation of a module (one version of it).
 *
 * <pre>
 *   accepted - fetching - starting-container - installing - claiming - running - removing - END
 *                                                                        |  ^
 *                                                 container gone: recovering - reinstalling
 *                                                 started too slowly: recovering again
 *   threw too often: quarantined - recovering, when an operator releases it
 *
 *   END: removed, expired, failed, replaced
 * </pre>
 */
public enum ModuleState {
  /** The SETUP is in the log. Nothing has been done yet. */
  ACCEPTED,
  /** A job fetches and verifies the bundle. */
  FETCHING,
  /** Waits for the publisher's container to be ready. */
  STARTING_CONTAINER,
  /** The agent installs it for the first time. */
  INSTALLING,
  /** Installed; its filters are being written. */
  CLAIMING,
  /** Installed, filters in place. */
  RUNNING,
  /**
   * It ran. Its container is gone and is being started again. Filters stay, because their queue
   * bypasses meanwhile.
   */
  RECOVERING,
  /** It ran. The agent of the new container installs it again. */
  REINSTALLING,
  /**
   * It ran and threw too often. It is shown no packet, it has no filters, and no container that
   * starts anew gets it. It leaves this state by an operator's release, a new version, a REMOVE or
   * the end of its claims.
   */
  QUARANTINED,
  /** Its steps are being undone, last first. */
  REMOVING,
  REMOVED,
  EXPIRED,
  FAILED,
  /** Another version of it runs in its place. */
  REPLACED;

  /** Returns true if nothing happens to it any more. */
  public boolean ended() {
    return this == REMOVED || this == EXPIRED || this == FAILED || this == REPLACED;
  }

  /** Returns true on its first way up, while a SETUP still waits for its end. */
  public boolean comingUp() {
    return switch (this) {
      case ACCEPTED, FETCHING, STARTING_CONTAINER, INSTALLING, CLAIMING -> true;
      default -> false;
    };
  }

  /** Returns true if it has run and is meant to run. */
  public boolean established() {
    return this == RUNNING || this == RECOVERING || this == REINSTALLING;
  }

  /** Returns the form that people and JSON see: lower case, hyphens. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
