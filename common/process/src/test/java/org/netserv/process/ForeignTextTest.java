// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ForeignTextTest {
  @Test
  void whatFitsStays() {
    String text = "java.lang.IllegalStateException: größer als 7, 名前";
    assertEquals(text, ForeignText.bounded(text));
    assertEquals("x".repeat(512), ForeignText.bounded("x".repeat(512)));
    assertEquals("", ForeignText.bounded(null));
  }

  @Test
  void whatIsLongerIsCut() {
    assertEquals("x".repeat(509) + "...", ForeignText.bounded("x".repeat(513)));
    assertEquals("x".repeat(509) + "...", ForeignText.bounded("x".repeat(2 << 20)));
    assertEquals("x".repeat(61) + "...", ForeignText.bounded("x".repeat(65), 64));
  }

  @ParameterizedTest
  @ValueSource(ints = {'\n', '\r', 0, 0x1b, 0x7f, 0x85, 0x202e, 0x2028, 0xd800, 0xe000})
  void whatIsNotPrintableIsReplaced(int point) {
    assertEquals("a?b", ForeignText.bounded("a" + Character.toString(point) + "b"));
  }

  @Test
  void aPairOfSurrogatesIsKeptOrLeftOutAsAWhole() {
    String pair = "\uD83D\uDE00";
    assertEquals(pair, ForeignText.bounded(pair));
    String cut = ForeignText.bounded("x".repeat(508) + pair + "yyyy");
    assertEquals("x".repeat(508) + "...", cut);
    assertTrue(cut.length() <= ForeignText.MAX);
  }
}
