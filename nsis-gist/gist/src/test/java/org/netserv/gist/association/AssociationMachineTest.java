// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.netserv.gist.association.AssociationMachine.Event;
import org.netserv.gist.association.AssociationMachine.State;

/** Every state, every event: against figure 9 of RFC 5971, written down rule by rule. */
class AssociationMachineTest {
  private static final String FIGURE =
      """
      AWAITING_CONNECTION SEND AWAITING_CONNECTION [QUEUE]
      AWAITING_CONNECTION MESSAGE AWAITING_CONNECTION [UNEXPECTED]
      AWAITING_CONNECTION HELLO AWAITING_CONNECTION [UNEXPECTED]
      AWAITING_CONNECTION HELLO_DUE AWAITING_CONNECTION [UNEXPECTED]
      AWAITING_CONNECTION LINK_UP CONNECTED [FLUSH, START_HELLO, RESTART_SILENCE]
      AWAITING_CONNECTION FAILURE DEAD [END]
      AWAITING_CONNECTION UNNEEDED AWAITING_CONNECTION []
      AWAITING_CONNECTION NEEDED AWAITING_CONNECTION []
      AWAITING_CONNECTION NO_SIGN AWAITING_CONNECTION [UNEXPECTED]
      CONNECTED SEND CONNECTED [TRANSMIT]
      CONNECTED MESSAGE CONNECTED [DELIVER]
      CONNECTED HELLO CONNECTED [ANSWER]
      CONNECTED HELLO_DUE CONNECTED [SEND_HELLO]
      CONNECTED LINK_UP CONNECTED [UNEXPECTED]
      CONNECTED FAILURE DEAD [END]
      CONNECTED UNNEEDED IDLE [STOP_HELLO, RESTART_SILENCE]
      CONNECTED NEEDED CONNECTED []
      CONNECTED NO_SIGN DEAD [END]
      IDLE SEND CONNECTED [START_HELLO, TRANSMIT]
      IDLE MESSAGE CONNECTED [START_HELLO, DELIVER]
      IDLE HELLO IDLE [ANSWER, RESTART_SILENCE]
      IDLE HELLO_DUE IDLE [UNEXPECTED]
      IDLE LINK_UP IDLE [UNEXPECTED]
      IDLE FAILURE DEAD [END]
      IDLE UNNEEDED IDLE []
      IDLE NEEDED CONNECTED [START_HELLO]
      IDLE NO_SIGN DEAD [END]
      DEAD SEND DEAD [DROP]
      DEAD MESSAGE DEAD [UNEXPECTED]
      DEAD HELLO DEAD [UNEXPECTED]
      DEAD HELLO_DUE DEAD [UNEXPECTED]
      DEAD LINK_UP DEAD [UNEXPECTED]
      DEAD FAILURE DEAD []
      DEAD UNNEEDED DEAD []
      DEAD NEEDED DEAD []
      DEAD NO_SIGN DEAD [UNEXPECTED]
      """;

  @Test
  void everyStateAnswersEveryEvent() {
    StringBuilder table = new StringBuilder();
    for (State state : State.values()) {
      for (Event event : Event.values()) {
        AssociationMachine machine = new AssociationMachine(state);
        String actions = machine.take(event).toString();
        table.append(String.join(" ", state.name(), event.name(), machine.state().name(), actions));
        table.append('\n');
      }
    }
    assertEquals(FIGURE, table.toString());
  }
}
