// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Both tables have an answer for each event in each state. */
class MachinesTest {
  @Test
  void anAddressHasAnAnswerForEachEvent() {
    for (AddressMachine.State state : AddressMachine.State.values()) {
      for (AddressMachine.Event event : AddressMachine.Event.values()) {
        assertNotNull(AddressMachine.next(state, event), state + " " + event);
      }
    }
  }

  @Test
  void aNodeHasAnAnswerForEachEvent() {
    for (NodeMachine.State state : NodeMachine.State.values()) {
      for (NodeMachine.Event event : NodeMachine.Event.values()) {
        assertNotNull(NodeMachine.next(state, event), state + " " + event);
      }
    }
  }

  @Test
  void onlyAnAnswerOfItsNodeCoversAnAddress() {
    for (AddressMachine.Event event : AddressMachine.Event.values()) {
      boolean found = event == AddressMachine.Event.FOUND_RUNNING;
      assertEquals(
          found,
          AddressMachine.next(AddressMachine.State.WANTED, event) == AddressMachine.State.COVERED,
          event.name());
    }
  }

  @Test
  void aForgottenNodeStaysForgotten() {
    Set<NodeMachine.State> next = EnumSet.noneOf(NodeMachine.State.class);
    Arrays.stream(NodeMachine.Event.values())
        .forEach(event -> next.add(NodeMachine.next(NodeMachine.State.GONE, event)));
    assertEquals(Set.of(NodeMachine.State.GONE), next);
  }

  private enum Light {
    RED,
    GREEN
  }

  private enum Press {
    ONCE,
    TWICE
  }

  private static StateTable<Light, Press> table(String picture) {
    return new StateTable<>(Light.class, Press.class, picture);
  }

  @Test
  void aPictureIsTheTable() {
    StateTable<Light, Press> table = table("      TWICE ONCE\nRED   RED GREEN\nGREEN GREEN RED");
    assertEquals(Light.GREEN, table.next(Light.RED, Press.ONCE));
    assertEquals(Light.RED, table.next(Light.RED, Press.TWICE));
    assertEquals(Light.RED, table.next(Light.GREEN, Press.ONCE));
  }

  @Test
  void aPictureWithGapsIsNoTable() {
    for (String picture :
        new String[] {
          "ONCE TWICE\nRED RED RED", // no line for GREEN
          "ONCE TWICE\nRED RED\nGREEN RED RED", // no entry for an event
          "ONCE\nRED RED\nGREEN RED", // no column for an event
          "ONCE ONCE\nRED RED RED\nGREEN RED RED", // a column twice
          "ONCE TWICE\nRED RED RED RED\nGREEN RED RED", // an entry too many
          "ONCE TWICE\nRED RED BLUE\nGREEN RED RED" // no such state
        }) {
      assertThrows(IllegalArgumentException.class, () -> table(picture), picture);
    }
  }
}
