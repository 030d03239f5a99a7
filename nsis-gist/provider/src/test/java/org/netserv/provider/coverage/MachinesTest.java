// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.coverage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

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
}
