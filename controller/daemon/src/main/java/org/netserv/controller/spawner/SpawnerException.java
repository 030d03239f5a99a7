// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.spawner;

import java.io.IOException;

/** The spawner said something that its protocol does not allow. */
public final class SpawnerException extends IOException {
  private static final long serialVersionUID = 1L;

  public SpawnerException(String message) {
    super(message);
  }
}
