// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.Locale;

/**
 * Where one incarnation of a module (one version of it) stands.
 *
 * <pre>
 *   accepted - fetching - starting-container - installing - claiming - running - removing - removed, expired, failed, replaced
 *                                                                        |  ^
 *                                                 container gone: recovering - reinstalling
 *                                                 threw too often: quarantined - recovering, when an operator releases it
 * </pre>
 */
public enum ModuleState {
  /** In the log; nothing has been done yet. */
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
   * It ran; its container is gone and being started again. Filters stay: their queue bypasses
   * meanwhile.
   */
  RECOVERING,
  /** It ran; the agent of the new container installs it again. */
  REINSTALLING,
  /**
   * It ran and threw too often. It is shown no packet, it has no filters, and no container that
   * starts anew gets it. An operator's release, a new version, a REMOVE or the end of its claims
   * leads out.
   */
  QUARANTINED,
  /** Its steps are being undone, last first. */
  REMOVING,
  REMOVED,
  EXPIRED,
  FAILED,
  /** Another version of it runs in its place. */
  REPLACED;

  /** Nothing happens to it any more. */
  public boolean ended() {
    return this == REMOVED || this == EXPIRED || this == FAILED || this == REPLACED;
  }

  /** On its first way up: a SETUP still waits for its end. */
  public boolean comingUp() {
    return switch (this) {
      case ACCEPTED, FETCHING, STARTING_CONTAINER, INSTALLING, CLAIMING -> true;
      default -> false;
    };
  }

  /** It has run, and is meant to run. */
  public boolean established() {
    return this == RUNNING || this == RECOVERING || this == REINSTALLING;
  }

  /** The form people and JSON see: lower case, hyphens. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
