// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;

/**
 * Expected instructions per packet of each row. They are the values of the last deliberate change.
 *
 * <p>They are in {@code lab/expected/instructions.txt}, one per line. A {@code #} begins a comment:
 *
 * <pre>
 *   linux-6.12 jdk-21 java 13956
 * </pre>
 *
 * @param machine {@code linux-6.12 jdk-21}: kernel and JDK whose figures are compared
 * @param rows instructions by name of the row; empty = nothing is known of this machine
 */
record Expected(String machine, Map<String, Long> rows) {
  private static final String FILE = "expected/instructions.txt";
  private static final Pattern LINE =
      Pattern.compile("(linux-\\S+ jdk-\\d+) ([a-z0-9-]+) ([1-9]\\d{0,8})");
  private static final Pattern RELEASE = Pattern.compile("^(\\d+\\.\\d+)");

  /** Reads the rows of this kernel and of the JDK that nodes run on. */
  static Expected read() throws IOException {
    Matcher kernel = RELEASE.matcher(System.getProperty("os.version"));
    String machine =
        "linux-"
            + (kernel.find() ? kernel.group(1) : "unknown")
            + " jdk-"
            + release(LabHome.java().resolve("release"));
    return parse(machine, Files.readString(LabHome.file(FILE)));
  }

  /** Parses the rows of a machine out of the file's text. */
  static Expected parse(String machine, String text) throws LabException {
    Map<String, Long> rows = new TreeMap<>();
    for (String line : text.lines().map(l -> l.replaceFirst("#.*", "").strip()).toList()) {
      if (line.isEmpty()) {
        continue;
      }
      Matcher row = LINE.matcher(line);
      if (!row.matches()) {
        throw new LabException(FILE + ": not KERNEL JDK ROW INSTRUCTIONS: " + line);
      }
      if (machine.equals(row.group(1))) {
        rows.put(row.group(2), Long.parseLong(row.group(3)));
      }
    }
    return new Expected(machine, rows);
  }

  private static String release(Path file) throws IOException {
    Matcher version = Pattern.compile("JAVA_VERSION=\"(\\d+)").matcher(Files.readString(file));
    return version.find() ? version.group(1) : "unknown";
  }
}
