// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the spawner's log for the packets that waited when a process died: {@code event
 * pktio-exited container=sip status=signal:9 held=5}. If the spawner itself died, it reads the last
 * report of the pktio that outlived it: {@code pktio: sip: accepted 5 held packets}.
 */
final class HeldReport {
  private static final Pattern EVENT =
      Pattern.compile("event \\S*exited .*held=(\\d+)|pktio: \\S+: accepted (\\d+) held packets");

  private final Path log;
  private final int known;

  private HeldReport(Path log, int known) {
    this.log = log;
    this.known = known;
  }

  /** Begins a report that reads the log from now on. */
  static HeldReport begin(Path root) throws IOException {
    Path log = root.resolve("var/log/netserv/spawner.log");
    return new HeldReport(log, lines(log).size());
  }

  private static List<String> lines(Path log) throws IOException {
    return Files.readAllLines(log, StandardCharsets.ISO_8859_1);
  }

  /** Returns the number in the first report since then, or -1 if there is none. */
  long find() throws IOException {
    List<String> all = lines(log);
    for (String line : all.subList(Math.min(known, all.size()), all.size())) {
      Matcher event = EVENT.matcher(line);
      if (event.find()) {
        return Long.parseLong(event.group(1) != null ? event.group(1) : event.group(2));
      }
    }
    return -1;
  }
}
