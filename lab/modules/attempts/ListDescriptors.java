// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Opens a ring among the open files of another process: {@code PID}. */
public final class ListDescriptors extends Attempt {
  @Override
  protected String attempt(String pid) throws IOException {
    List<Path> all;
    try (Stream<Path> found = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      all = found.toList();
    }
    for (Path file : all) {
      if (Files.readSymbolicLink(file).toString().contains("memfd:")) {
        Files.newByteChannel(file).close();
        return "opened a ring, " + file.getFileName();
      }
    }
    throw new IOException("no ring among " + all.size() + " descriptors");
  }
}
