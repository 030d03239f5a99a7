// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the lab's own files, the built tree and the JDK are; told by the launcher. */
public final class LabHome {
  /** State of labs that are up. Short, because UNIX socket paths end at 107 characters. */
  public static final Path STATE = Path.of("/run/netserv-lab");

  private LabHome() {}

  /** The project's directory: what the launcher says, else the nearest one above. */
  public static Path home() {
    String told = System.getProperty("netserv.home");
    if (told != null) {
      return Path.of(told);
    }
    for (Path dir = Path.of("").toAbsolutePath(); dir != null; dir = dir.getParent()) {
      if (Files.isDirectory(dir.resolve("lab/topologies"))) {
        return dir;
      }
    }
    throw new IllegalStateException("netserv.home is not set, and no lab/topologies above here");
  }

  /** A file below {@code lab/}. */
  public static Path file(String name) {
    return home().resolve("lab").resolve(name);
  }

  /** The built tree. */
  public static Path dist() {
    String told = System.getProperty("netserv.dist");
    return told != null ? Path.of(told) : home().resolve("target/dist");
  }

  /** The JDK that nodes and tools run on. */
  public static Path java() {
    return Path.of(System.getProperty("netserv.java", System.getProperty("java.home")));
  }

  public static Path state(String lab) {
    return STATE.resolve(lab);
  }
}
