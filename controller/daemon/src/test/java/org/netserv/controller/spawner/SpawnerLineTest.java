// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.spawner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Lines are printed and read back, and bad lines are refused. No input causes another exception
 * than the named one.
 */
final class SpawnerLineTest {

  @Test
  void encodesWhatMustBe() {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("a", "x y%z=\u00e9\n");
    values.put("b", "");
    assertEquals("verb a=x%20y%25z%3D%C3%A9%0A b=", new SpawnerLine("verb", values).print());
  }

  @Test
  void readsWhatItPrints() throws SpawnerException {
    Random random = new Random(9);
    for (int i = 0; i < 2_000; i++) {
      Map<String, String> values = new LinkedHashMap<>();
      for (int k = random.nextInt(5); k > 0; k--) {
        StringBuilder value = new StringBuilder();
        for (int c = random.nextInt(12); c > 0; c--) {
          value.append((char) random.nextInt(0x3000));
        }
        values.put("key" + k, value.toString());
      }
      SpawnerLine line = new SpawnerLine("verb", values);
      assertEquals(line, SpawnerLine.parse(line.print()));
      assertTrue(line.print().chars().allMatch(c -> c >= 0x20 && c < 0x7f));
    }
  }

  @Test
  void eventsKeepTheirName() throws SpawnerException {
    SpawnerLine line = SpawnerLine.parse("event exited container=jane status=exit:7");
    assertEquals("event exited", line.verb());
    assertEquals("exit:7", line.values().get("status"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ok id",
        "ok =1",
        "ok a=1 a=2",
        "ok a=%",
        "ok a=%2",
        "ok a=%zz",
        "ok  a=1",
        "ok a=1 "
      })
  void refuses(String text) {
    assertThrows(SpawnerException.class, () -> SpawnerLine.parse(text));
  }

  @Test
  void anyTextIsReadOrRefused() {
    Random random = new Random(11);
    String alphabet = "ok =%2Fevent 0a\u0000\u00ff";
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int c = random.nextInt(30); c > 0; c--) {
        text.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      try {
        assertTrue(SpawnerLine.parse(text.toString()).values().size() <= text.length());
      } catch (SpawnerException e) {
        assertTrue(e.getMessage().length() < 128);
      }
    }
  }
}
