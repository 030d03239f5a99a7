// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads a file through a symbolic link in its own directory. */
public final class ReadThroughLink extends Attempt {
  @Override
  protected String attempt(String path) throws IOException {
    Path link = Path.of(System.getProperty("user.dir"), "link");
    Files.deleteIfExists(link);
    Files.createSymbolicLink(link, Path.of(path));
    try (InputStream in = Files.newInputStream(link)) {
      return in.readNBytes(16).length + " bytes";
    } finally {
      Files.delete(link);
    }
  }
}
