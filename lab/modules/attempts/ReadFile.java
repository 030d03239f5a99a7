// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the first bytes of a file. */
public final class ReadFile extends Attempt {
  @Override
  protected String attempt(String path) throws IOException {
    try (InputStream in = Files.newInputStream(Path.of(path))) {
      return in.readNBytes(16).length + " bytes";
    }
  }
}
