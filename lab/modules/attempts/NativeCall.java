// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Loads a library from its own bundle and makes a system call with it: {@code CALL NUMBER}. */
public final class NativeCall extends Attempt {
  private static boolean loaded;

  /** Returns 0, or the number of the system's error. */
  private static native int call(int what, long number);

  @Override
  protected String attempt(String argument) throws IOException {
    String[] words = argument.split(" ", -1);
    load();
    int what = words[0].charAt(0);
    int error = call(what, Long.parseLong(words[1]));
    if (error != 0) {
      throw new IOException(words[0] + ": " + name(error));
    }
    return words[0] + " done";
  }

  private static synchronized void load() throws IOException {
    if (loaded) {
      return;
    }
    Path library = Path.of(System.getProperty("user.dir"), "attempts.so");
    try (InputStream in = NativeCall.class.getResourceAsStream("/attempts.so")) {
      Files.copy(in, library, StandardCopyOption.REPLACE_EXISTING);
    }
    System.load(library.toString());
    loaded = true;
  }

  private static String name(int error) {
    return switch (error) {
      case 1 -> "EPERM";
      case 3 -> "ESRCH";
      case 11 -> "EAGAIN";
      case 13 -> "EACCES";
      case 38 -> "ENOSYS";
      case 93 -> "EPROTONOSUPPORT";
      case 97 -> "EAFNOSUPPORT";
      default -> "errno " + error;
    };
  }
}
