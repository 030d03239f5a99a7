// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Fills its own directory: {@code MIB}. */
public final class Disk extends Attempt {
  private static final int FILE = 8;

  @Override
  protected String attempt(String argument) throws IOException {
    int files = Integer.parseInt(argument) / FILE;
    byte[] content = new byte[FILE << 20];
    Path directory = Path.of(System.getProperty("user.dir"));
    try {
      for (int i = 0; i < files; i++) {
        Files.write(directory.resolve("bomb-" + i), content);
      }
      return argument + " MiB";
    } finally {
      for (int i = 0; i < files; i++) {
        Files.deleteIfExists(directory.resolve("bomb-" + i));
      }
    }
  }
}
