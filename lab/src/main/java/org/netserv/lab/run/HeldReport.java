// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads in the spawner's log what became of packets that were held when a process died: {@code
 * event exited container=sip status=signal:9 held=5}.
 */
final class HeldReport {
  private static final Pattern EVENT = Pattern.compile("event (\\S*exited) .*held=(\\d+)");

  private final Path log;
  private final int known;

  private HeldReport(Path log, int known) {
    this.log = log;
    this.known = known;
  }

  /** From now on. */
  static HeldReport begin(Path root) throws IOException {
    Path log = root.resolve("var/log/netserv/spawner.log");
    return new HeldReport(log, lines(log).size());
  }

  private static List<String> lines(Path log) throws IOException {
    return Files.readAllLines(log, StandardCharsets.ISO_8859_1);
  }

  /** The first report since then, such as {@code exited: 5}; empty without one. */
  String find() throws IOException {
    List<String> all = lines(log);
    for (String line : all.subList(Math.min(known, all.size()), all.size())) {
      Matcher event = EVENT.matcher(line);
      if (event.find()) {
        return event.group(1) + ": " + event.group(2);
      }
    }
    return "";
  }
}
