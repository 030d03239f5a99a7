// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostLoadTest {
  @TempDir Path proc;

  private HostLoad says(String loadavg, String meminfo) throws Exception {
    Files.writeString(proc.resolve("loadavg"), loadavg);
    Files.writeString(proc.resolve("meminfo"), meminfo);
    return new HostLoad(proc);
  }

  @ParameterizedTest
  @CsvSource({"0.00, low", "1.99, low", "2.00, medium", "3.99, medium", "4.00, high", "99.5, high"})
  void loadIsPerProcessor(String average, String step) throws Exception {
    HostLoad load = says(average + " 9.00 9.00 2/200 4711\n", "");
    assertEquals(Optional.of(step), load.load(4));
  }

  @ParameterizedTest
  @CsvSource({"1023, 0", "1024, 1", "3145727, 2048", "4194304, 4096", "8388607, 4096"})
  void memoryIsAPowerOfTwo(long kib, long mib) throws Exception {
    String meminfo = "MemTotal:  9000000 kB\nMemFree:  1 kB\nMemAvailable:   " + kib + " kB\n";
    assertEquals(OptionalLong.of(mib), says("", meminfo).memory());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "1", "-1.00 1", "MemAvailable: -1 kB", "MemAvailable: 1 MB"})
  void whatDoesNotReadIsNotSaid(String text) throws Exception {
    HostLoad load = says(text, text);
    assertTrue(load.load(1).isEmpty());
    assertTrue(load.memory().isEmpty());
  }

  @Test
  void neitherIsWhatIsNotThere() {
    HostLoad load = new HostLoad(proc.resolve("absent"));
    assertTrue(load.load(1).isEmpty());
    assertTrue(load.memory().isEmpty());
  }
}
