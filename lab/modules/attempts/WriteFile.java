// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a file. */
public final class WriteFile extends Attempt {
  @Override
  protected String attempt(String path) throws IOException {
    Files.writeString(Path.of(path), "written by a stranger\n");
    return "written";
  }
}
