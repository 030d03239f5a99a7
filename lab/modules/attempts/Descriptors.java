// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Opens a file of its own again and again without closing it: {@code COUNT}. */
public final class Descriptors extends Attempt {
  @Override
  protected String attempt(String argument) throws IOException {
    Path file = Path.of(System.getProperty("user.dir"), "opened");
    List<Closeable> all = new ArrayList<>();
    try {
      for (int i = 0; i < Integer.parseInt(argument); i++) {
        all.add(FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
      }
      return argument + " descriptors";
    } finally {
      for (Closeable one : all) {
        one.close();
      }
    }
  }
}
