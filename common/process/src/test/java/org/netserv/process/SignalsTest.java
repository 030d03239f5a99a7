// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SignalsTest {
  @Test
  void aSignalThatCameTooEarlyIsRemembered() {
    List<String> done = new ArrayList<>();
    Signals.Remembered signal = new Signals.Remembered();
    signal.run();
    signal.run();
    assertEquals(List.of(), done);
    signal.now(() -> done.add("reload"));
    assertEquals(List.of("reload"), done);
    signal.run();
    assertEquals(List.of("reload", "reload"), done);
  }

  @Test
  void withoutASignalNothingIsDone() {
    List<String> done = new ArrayList<>();
    Signals.Remembered signal = new Signals.Remembered();
    signal.now(() -> done.add("reload"));
    assertEquals(List.of(), done);
  }
}
