// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.Locale;

/** The state of a publisher's container. */
public enum ContainerState {
  /** There is no container, and none is needed. */
  IDLE,
  /** The spawner is starting it. */
  STARTING,
  /** It lives, but its agent has not greeted yet, or the agent's connection is gone. */
  GREETING,
  /** Its agent answers. */
  READY,
  /** The spawner is stopping it; it is not needed any more. */
  STOPPING,
  /**
   * The spawner is stopping it because it does not answer or lacks layers that policy demands. It
   * will be started again.
   */
  RESTARTING,
  /** It died, or could not be started. The next try waits. */
  BACKOFF;

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
