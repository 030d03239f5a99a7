// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.Locale;

/** Where a publisher's container stands. */
public enum ContainerState {
  /** There is none, and none is needed. */
  IDLE,
  /** The spawner is starting it. */
  STARTING,
  /** It lives; its agent has not greeted yet, or its connection is gone. */
  GREETING,
  /** Its agent answers. */
  READY,
  /** The spawner is stopping it; it is not needed any more. */
  STOPPING,
  /** The spawner is stopping it because it does not answer; it will be started again. */
  RESTARTING,
  /** It died, or could not be started; the next try waits. */
  BACKOFF;

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
