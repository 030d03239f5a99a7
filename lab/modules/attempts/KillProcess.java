// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;

/** Kills another process: {@code PID}. */
public final class KillProcess extends Attempt {
  @Override
  protected String attempt(String pid) throws IOException {
    ProcessHandle other =
        ProcessHandle.of(Long.parseLong(pid))
            .orElseThrow(() -> new IOException("no process " + pid));
    if (!other.destroyForcibly()) {
      throw new IOException("not killed");
    }
    return "killed";
  }
}
