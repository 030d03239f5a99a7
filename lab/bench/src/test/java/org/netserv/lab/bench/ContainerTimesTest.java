// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Reads the times of a log in which starts of both kinds overlap, and some starts fail. */
class ContainerTimesTest {

  private static String line(String time, String container, String step, String why) {
    return "2026-01-02T03:04:"
        + time
        + "Z INFO Containers: container "
        + container
        + ": "
        + step
        + ": "
        + why
        + "\n";
  }

  @Test
  void tellsTheOnesFromTheOthers() {
    ContainerTimes times =
        ContainerTimes.read(
            line("05.000", "p1", "IDLE -> STARTING", "a module needs it")
                + line("05.010", "p2", "IDLE -> STARTING", "a module needs it")
                + "2026-01-02T03:04:05.020Z INFO Modules: module p1/a.b 1: running: STARTING\n"
                + line("05.022", "p2", "STARTING -> GREETING", "started from a spare")
                + line("05.0275", "p2", "GREETING -> READY", "its agent greets")
                + line("05.100", "p1", "STARTING -> GREETING", "started")
                + line("05.300", "p1", "GREETING -> READY", "its agent greets")
                + line("06.000", "p1", "READY -> GREETING", "connection lost")
                + line("06.200", "p1", "GREETING -> READY", "its agent greets")
                + line("07.000", "p2", "READY -> STOPPING", "its last module has gone")
                + line("07.100", "p2", "STOPPING -> IDLE", "stopped")
                + line("08.000", "p2", "IDLE -> STARTING", "a module needs it")
                + line("08.400", "p2", "STARTING -> READY", "its agent greets"));
    assertEquals(1, times.spare().count());
    assertEquals(17.5, times.spare().median());
    assertEquals(2, times.cold().count());
    assertEquals(300, times.cold().median());
    assertEquals(400, times.cold().percentile(100));
  }

  @Test
  void readsOnlyTheNamedContainers() {
    String log =
        line("05.000", "p1", "IDLE -> STARTING", "a module needs it")
            + line("05.000", "p2", "IDLE -> STARTING", "a module needs it")
            + line("05.100", "p2", "STARTING -> GREETING", "started from a spare")
            + line("05.120", "p2", "GREETING -> READY", "its agent greets")
            + line("05.300", "p1", "STARTING -> READY", "its agent greets");
    ContainerTimes first = ContainerTimes.read(log, "p1"::equals);
    assertEquals(1, first.cold().count());
    assertEquals(300, first.cold().median());
    assertEquals(0, first.spare().count());
    ContainerTimes second = ContainerTimes.read(log, "p2"::equals);
    assertEquals(0, second.cold().count());
    assertEquals(120, second.spare().median());
  }

  @Test
  void whatCameToNothingIsNoStart() {
    ContainerTimes times =
        ContainerTimes.read(
            line("05.000", "p1", "IDLE -> STARTING", "a module needs it")
                + line("05.500", "p1", "STARTING -> BACKOFF", "start: time-out")
                + line("06.000", "p1", "BACKOFF -> GREETING", "the spawner has it")
                + line("06.100", "p1", "GREETING -> READY", "its agent greets")
                + line("07.000", "p2", "IDLE -> GREETING", "the spawner has it")
                + line("07.100", "p2", "GREETING -> READY", "its agent greets"));
    assertEquals(0, times.cold().count() + times.spare().count());
  }
}
