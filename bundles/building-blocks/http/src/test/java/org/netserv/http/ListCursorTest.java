// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListCursorTest {
  private static List<String> members(String... lines) {
    FieldSection fields = Heads.fields(lines);
    ListCursor list = new ListCursor().reset(fields, Field.VARY);
    List<String> members = new ArrayList<>();
    while (list.next()) {
      int length = list.end() - list.start();
      members.add(new String(fields.bytes(), list.start(), length, StandardCharsets.ISO_8859_1));
    }
    return members;
  }

  @Test
  void membersOfAllLinesInOrder() {
    assertEquals(List.of("a", "b", "c"), members("Vary: a , b", "X: y", "vary:c"));
  }

  @Test
  void emptyMembersAreSkipped() {
    assertEquals(List.of("a"), members("Vary:", "Vary: , ,", "Vary: ,\t,a,,"));
    assertEquals(List.of(), members("X: a"));
  }

  @Test
  void commasInQuotedStringsSeparateNothing() {
    assertEquals(List.of("a=\"b,c\\\",d\"", "e"), members("Vary: a=\"b,c\\\",d\", e"));
    assertEquals(List.of("a=\"b, c"), members("Vary: a=\"b, c"));
    assertEquals(List.of("a=\"b\\"), members("Vary: a=\"b\\"));
  }
}
