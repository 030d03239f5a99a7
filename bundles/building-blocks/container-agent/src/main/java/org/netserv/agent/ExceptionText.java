// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Describes exceptions to people without knowledge of the OSGi resolver. */
final class ExceptionText {
  /** The longest text, in characters. The controller keeps as many. */
  private static final int MOST = 512;

  private static final Pattern MISSING = Pattern.compile("Unresolved requirement: ([^\\n]+)");

  /** The words of ENOSPC and EDQUOT, at the end of a message that names files. */
  private static final Pattern FULL =
      Pattern.compile("(No space left on device|Disk quota exceeded)$");

  private ExceptionText() {}

  /** Tells whether a file system without room is the cause. */
  static boolean isFull(Throwable e) {
    Throwable cause = e;
    for (int depth = 0; cause != null && depth < 16; depth++) {
      if (cause instanceof IOException && FULL.matcher(String.valueOf(cause.getMessage())).find()) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** The innermost cause, in one line. */
  static String of(Throwable e) {
    Throwable cause = e;
    for (int depth = 0; cause.getCause() != null && depth < 16; depth++) {
      cause = cause.getCause();
    }
    try {
      return line(cause.getClass().getName() + ": " + cause.getMessage());
    } catch (RuntimeException | StackOverflowError hostile) {
      return cause.getClass().getName(); // getMessage may be a module's own code
    }
  }

  /**
   * Returns the missing requirements of a bundle, from Equinox's tree of unresolved requirements.
   */
  static String unresolved(String message) {
    Set<String> missing = new LinkedHashSet<>();
    Matcher lines = MISSING.matcher(String.valueOf(message));
    while (lines.find()) {
      missing.add(lines.group(1).trim());
    }
    return missing.isEmpty() ? line(message) : line("missing " + String.join("; ", missing));
  }

  private static String line(String text) {
    String line = String.valueOf(text).replaceAll("\\s+", " ").trim();
    return line.length() > MOST ? line.substring(0, MOST) : line;
  }
}
