// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.netserv.keepalive.Messages.module;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.packet.Verdict;

class RotaTest {
  private static Verdict send(KeepAlive module, int port, int number) {
    return Messages.verdict(
        module,
        Packets.udp4(
            Messages.CLIENT, port, Messages.SERVER, 5060, Messages.bytes(Messages.notify(number))));
  }

  @Test
  void firstAndEachNthOfAnAgentTravelOn() {
    KeepAlive module = module("pass-every", "20");
    for (int port = 1000; port < 1003; port++) {
      List<Integer> through = new ArrayList<>();
      for (int number = 1; number <= 60; number++) {
        if (send(module, port, number) == Verdict.PASS) {
          through.add(number);
        }
      }
      assertEquals(List.of(1, 20, 40, 60), through);
    }
    assertEquals(3, module.counters().get("FIRST"));
    assertEquals(9, module.counters().get("TURN"));
  }

  @Test
  void pingsTakeTurnsToo() {
    KeepAlive module = module("pass-every", "4");
    int dropped = 0;
    for (int i = 0; i < 40; i++) {
      dropped += Messages.verdict(module, Messages.packet(new byte[4])) == Verdict.DROP ? 1 : 0;
    }
    assertEquals(40 - 1 - 10, dropped);
  }

  @Test
  void withZeroNothingTravelsOn() {
    KeepAlive module = module("pass-every", "0");
    for (int number = 1; number <= 100; number++) {
      assertEquals(Verdict.CHANGED, send(module, 1000, number));
    }
  }

  @Test
  void repetitionOfWhatWasLetThroughIsTheServersToAnswer() {
    KeepAlive module = module("pass-every", "20");
    for (int i = 0; i < 5; i++) {
      assertEquals(Verdict.PASS, send(module, 1000, 1));
    }
    assertEquals(Verdict.CHANGED, send(module, 1000, 2));
    assertEquals(Verdict.CHANGED, send(module, 1000, 2), "repetition of one answered here");
    assertEquals(4, module.counters().get("REPEATED"));
  }

  @Test
  void aSilentServerIsNotHiddenAndIsTrustedAgainWhenItAnswers() {
    KeepAlive module = module("pass-every", "20", "silent-after", "3");
    for (int port = 1000; port < 1003; port++) {
      send(module, port, 1);
      send(module, port, 1); // not answered: repeated
    }
    // Three agents waited in vain: from now on all travel on.
    for (int port = 1000; port < 1003; port++) {
      assertEquals(Verdict.PASS, send(module, port, 2));
      send(module, port, 2);
    }
    assertEquals(3, module.counters().get("SILENT"));
    // This one is answered, for the next is not a repetition of it.
    assertEquals(Verdict.PASS, send(module, 1000, 3));
    assertEquals(Verdict.CHANGED, send(module, 1000, 4));
    assertEquals(Verdict.CHANGED, send(module, 1001, 3));
  }

  @Test
  void fullTableReplacesTheAgentNotHeardOfForLongest() {
    AgentTable table = new AgentTable(8);
    for (int port = 0; port < 8; port++) {
      table.next(table.find(0, 1, port));
    }
    table.find(0, 1, 0);
    assertEquals(0, table.replaced());
    int place = table.find(0, 1, 99);
    assertEquals(1, table.replaced());
    assertEquals(1, table.next(place));
    assertEquals(2, table.next(table.find(0, 1, 0)), "heard of lately: kept");
    assertEquals(1, table.next(table.find(0, 1, 1)), "oldest: forgotten");
    assertEquals(8, table.agents());
  }

  @Test
  void theTableGrowsBeforeAnyAgentIsForgotten() {
    AgentTable table = new AgentTable(65536);
    for (int round = 1; round <= 3; round++) {
      for (int port = 0; port < 10_000; port++) {
        int place = table.find(port % 3, port % 7, port);
        assertEquals(round, table.next(place));
        assertEquals(round == 1 ? 0 : port + 1L, table.pending(place));
        assertEquals(round == 3, table.isRepeated(place));
        table.pending(place, port + 1L);
        if (round == 2) {
          table.repeat(place);
        }
      }
    }
    assertEquals(10_000, table.agents());
    assertEquals(0, table.replaced());
  }

  @Test
  void newPropertiesTakeEffect() {
    KeepAlive module = module("pass-every", "0");
    assertEquals(Verdict.CHANGED, send(module, 1000, 1));
    module.modified(java.util.Map.of("pass-every", "1"));
    assertEquals(Verdict.PASS, send(module, 1000, 2));
  }

  @Test
  void warmingUpLeavesNoTrace() {
    KeepAlive module = module("pass-every", "20");
    Packet packet = Messages.packet(Messages.notify(1));
    byte[] before = packet.toBytes();
    for (int i = 0; i < 100; i++) {
      module.warmUp(packet, Packets.decision(packet));
    }
    assertEquals(java.util.Map.of(), module.counters());
    assertArrayEquals(before, packet.toBytes());
    assertEquals(Verdict.PASS, send(module, 5060, 1), "still the first");
  }
}
