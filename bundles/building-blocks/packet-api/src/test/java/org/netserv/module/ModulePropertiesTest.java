// SPDX-License-Identifier: Apache-2.0
package org.netserv.module;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModulePropertiesTest {
  private static ModuleProperties of(String text) {
    return new ModuleProperties(Map.of("p", text));
  }

  private static void wrong(String message, Executable reader) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, reader).getMessage());
  }

  @Test
  void anAbsentPropertyHasItsDefault() {
    ModuleProperties none = new ModuleProperties(Map.of());
    assertNull(none.text("p", null));
    assertEquals(List.of("a", "b"), none.list("p", "a b"));
    assertEquals(7, none.number("p", 7, 0, 9));
    assertTrue(none.onOff("p", true));
    assertFalse(none.onOff("p", false));
    assertEquals("x", none.choice("p", "x", "y"));
    assertNull(none.address("p"));
  }

  @Test
  void valuesAreRead() {
    assertEquals("a b", of(" a b\n").text("p", ""));
    assertEquals(List.of(), of("  ").list("p", "x"));
    assertEquals(List.of("a", "b", "c", "d"), of(" a b;c, d").list("p", ""));
    assertEquals(999_999_999, of("999999999").number("p", 0, 0, 999_999_999));
    assertEquals(3, new ModuleProperties(Map.of("p", 3)).number("p", 0, 0, 9));
    assertTrue(of("True").onOff("p", false));
    assertFalse(of("OFF").onOff("p", true));
    assertEquals("y", of("Y").choice("p", "x", "y"));
  }

  @Test
  void aWrongValueIsNamed() {
    wrong("p: not a number: -1", () -> of("-1").number("p", 0, 0, 9));
    wrong("p: not a number: ", () -> of("").number("p", 0, 0, 9));
    wrong("p: not a number: 1234567890", () -> of("1234567890").number("p", 0, 0, 9));
    wrong("p: 10 is not between 0 and 9", () -> of("10").number("p", 0, 0, 9));
    wrong("p: neither on nor off: yes", () -> of("yes").onOff("p", true));
    wrong("p: not one of x, y: z", () -> of("Z").choice("p", "x", "y"));
    wrong("p: 0 is not between 1 and 65535", () -> of("192.0.2.1:0").address("p"));
    wrong("p: not a number: x", () -> of("192.0.2.1:x").address("p"));
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.10:5060, 192.0.2.10, 5060",
    "'[2001:db8::1]:65535', 2001:db8:0:0:0:0:0:1, 65535",
    "'[::ffff:192.0.2.1]:1', 192.0.2.1, 1",
    "255.255.255.255:1, 255.255.255.255, 1",
  })
  void addressesAreRead(String text, String address, int port) {
    assertEquals(address, of(text).address("p").getAddress().getHostAddress());
    assertEquals(port, of(text).address("p").getPort());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sip.example:5060",
        "localhost:1",
        "192.0.2.1",
        "192.0.2:1",
        "256.0.2.1:1",
        "[192.0.2.1]:1",
        "2001:db8::1:5060",
        "[2001:db8::1:5060",
        "[2001:db8:::1]:1",
        "[fe80::1%eth0]:1",
        "[]:1",
        ":1",
        ":"
      })
  void whatIsNoAddressIsRefusedAndNeverLookedUp(String text) {
    wrong("p: not ADDRESS:PORT or [IPv6]:PORT: " + text, () -> of(text).address("p"));
  }
}
