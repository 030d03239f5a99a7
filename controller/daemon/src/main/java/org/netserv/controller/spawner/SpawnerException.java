// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.spawner;

import java.io.IOException;

/** Reports words of the spawner that its protocol does not allow. */
public final class SpawnerException extends IOException {
  private static final long serialVersionUID = 1L;

  public SpawnerException(String message) {
    super(message);
  }
}
