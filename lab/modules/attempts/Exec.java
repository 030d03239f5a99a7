// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;

/** Starts a program. */
public final class Exec extends Attempt {
  @Override
  protected String attempt(String program) throws Exception {
    Process process = new ProcessBuilder(program.split(" ", -1)).redirectErrorStream(true).start();
    byte[] said = process.getInputStream().readAllBytes();
    int status = process.waitFor();
    if (status != 0) {
      throw new IOException("status " + status + " " + new String(said));
    }
    return "ran";
  }
}
