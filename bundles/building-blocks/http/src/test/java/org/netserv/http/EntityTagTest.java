// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EntityTagTest {
  /** The table of RFC 9110 section 8.8.3.2, and tags that are none. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "W/\"1\" | W/\"1\" | false | true",
        "W/\"1\" | W/\"2\" | false | false",
        "W/\"1\" | \"1\" | false | true",
        "\"1\" | \"1\" | true | true",
        "\"\" | \"\" | true | true",
        "\"a,b\" | \"a,b\" | true | true",
        "1 | 1 | false | false",
        "w/\"1\" | w/\"1\" | false | false",
        "\"1 | \"1 | false | false",
        "\"a\"b\" | \"a\"b\" | false | false"
      })
  void comparisons(String a, String b, boolean strong, boolean weak) {
    byte[] x = Heads.latin(a);
    byte[] y = Heads.latin(b);
    assertEquals(strong, EntityTag.strong(x, 0, x.length, y, 0, y.length));
    assertEquals(weak, EntityTag.weak(x, 0, x.length, y, 0, y.length));
  }

  @Test
  void endsAreFoundBehindCommas() {
    byte[] list = Heads.latin("\"a,b\", W/\"c\"");
    assertEquals(5, EntityTag.end(list, 0, list.length));
    assertEquals(list.length, EntityTag.end(list, 7, list.length));
    assertEquals(-1, EntityTag.end(list, 5, list.length));
    for (int cut = 7; cut < list.length; cut++) {
      assertEquals(-1, EntityTag.end(list, 7, cut));
    }
  }
}
