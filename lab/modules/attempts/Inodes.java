// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Makes files in its own directory: {@code COUNT}. */
public final class Inodes extends Attempt {
  @Override
  protected String attempt(String argument) throws IOException {
    int files = Integer.parseInt(argument);
    Path directory = Path.of(System.getProperty("user.dir"));
    try {
      for (int i = 0; i < files; i++) {
        Files.createFile(directory.resolve("inode-" + i));
      }
      return argument + " files";
    } finally {
      for (int i = 0; i < files; i++) {
        Files.deleteIfExists(directory.resolve("inode-" + i));
      }
    }
  }
}
