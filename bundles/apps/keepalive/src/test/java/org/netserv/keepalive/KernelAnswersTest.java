// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.packet.Verdict;

/** Agents that the kernel answers in the module's place. */
class KernelAnswersTest {
  private static final int SPACING = 25_000_000;
  private static final String BYTES = "azAZ09-._ @:;=\r\n\0/[`{\u0080\u00ff";

  private final FakeKernel kernel = new FakeKernel();

  private KeepAlive module(String... pairs) {
    Map<String, Object> properties = new HashMap<>(Map.of("pass-every", "0"));
    for (int i = 0; i < pairs.length; i += 2) {
      properties.put(pairs[i], pairs[i + 1]);
    }
    KeepAlive module = new KeepAlive(properties, kernel);
    module.activate();
    return module;
  }

  /** The parties that deal with a packet. */
  private enum By {
    KERNEL,
    MODULE,
    SERVER
  }

  private By send(KeepAlive module, byte[] message) {
    Packet packet = Packets.arrived(Messages.packet(message), (int) kernel.micros);
    if (kernel.reply(packet) != null) {
      return By.KERNEL;
    }
    Decision decision = Messages.decide(module, packet);
    kernel.heed(decision);
    return decision.verdict() == Verdict.PASS ? By.SERVER : By.MODULE;
  }

  private By send(KeepAlive module, int n) {
    return send(module, Messages.bytes(Messages.notify(n)));
  }

  private List<By> sendEach(KeepAlive module, int first, int count) {
    List<By> by = new ArrayList<>();
    for (int n = first; n < first + count; n++) {
      kernel.micros += SPACING;
      by.add(send(module, n));
    }
    return by;
  }

  /** Fields of the same length, whatever is in them. */
  private static int number(int n) {
    return 1000 + n;
  }

  @Test
  void theKernelAnswersAsTheModuleWould() {
    KeepAlive alone = Messages.module();
    String[] messages = {
      Messages.notify(7),
      Messages.notify(7).replace("Via: ", "v:\n ").replace("CSeq: 7", "CSeq: 123456789"),
      Messages.notify(7).replace("CSeq: 7", "CSeq: 1234567890"),
      Messages.options("sip:192.0.2.1").replace(";tag=a7", ""),
      Messages.options("sip:192.0.2.1").replace(";branch=z9hG4bK-1", ";rport;branch=\"a;1\"")
    };
    for (String message : messages) {
      KeepAlive module = module();
      kernel.entries.clear();
      byte[] bytes = Messages.bytes(message);
      for (int i = 0; i < 3; i++) {
        assertEquals(By.MODULE, send(module, bytes), message);
      }
      assertEquals(1, kernel.entries.size());
      int answers = 0;
      for (int at = 0; at < bytes.length; at++) {
        for (int i = 0; i < BYTES.length(); i++) {
          byte[] other = bytes.clone();
          other[at] = (byte) BYTES.charAt(i);
          byte[] reply = kernel.reply(Messages.packet(other));
          if (reply != null) {
            Packet packet = Messages.packet(other);
            Messages.assertAnswers(alone, packet);
            assertArrayEquals(Messages.payload(packet), reply, message + at + BYTES.charAt(i));
            answers++;
          }
        }
      }
      assertTrue(answers > 100, "only " + answers + " answers: the test sees too little");
    }
  }

  /** The hash is the program's: kernel/tests/answer_example.h has the same fields. */
  @Test
  void theTagIsTheOneOfBpfd() {
    byte[] id = Messages.bytes("Call-17@10.0.0.7");
    byte[] tag = Messages.bytes("a7");
    long hash = Hash.add(Hash.START, ByteBuffer.wrap(id), 0, id.length);
    hash = Hash.add(hash, ByteBuffer.wrap(tag), 0, tag.length);
    assertEquals("10e21ef92c634b90", "%016x".formatted(hash));
  }

  @Test
  void withoutPassEveryAllAreTheKernels() {
    KeepAlive module = module();
    for (int n = 0; n < 3; n++) {
      assertEquals(By.MODULE, send(module, number(n)));
    }
    for (int n = 3; n < 500; n++) {
      assertEquals(By.KERNEL, send(module, number(n)));
    }
    assertEquals(1, kernel.puts);
    assertEquals(497, module.counters().get("KERNEL_ANSWERED"));
    kernel.micros += 301_000_000;
    assertEquals(By.MODULE, send(module, number(500))); // its seconds were over
    assertEquals(By.KERNEL, send(module, number(501)));
    assertEquals(2, kernel.puts);
    assertEquals(498, module.counters().get("KERNEL_ANSWERED"));
  }

  /**
   * Packets that were on their way when the kernel took over do not speak against the next answer.
   */
  @Test
  void packetsOnTheirWayHoldForOneAnswer() {
    KeepAlive module = module();
    for (int n = 0; n < 3; n++) {
      assertEquals(By.MODULE, send(module, number(n)));
    }
    for (int n = 3; n < 8; n++) {
      byte[] message = Messages.bytes(Messages.notify(number(n)));
      Packet packet = Packets.arrived(Messages.packet(message), (int) kernel.micros);
      kernel.heed(Messages.decide(module, packet));
    }
    kernel.entries.values().iterator().next().end();
    assertEquals(By.MODULE, send(module, number(8)));
    assertEquals(By.KERNEL, send(module, number(9)));
  }

  /** The first and each fifth travel on, as without the kernel. */
  @Test
  void eachNthTravelsOn() {
    KeepAlive module = module("pass-every", "5", "kernel", "3600");
    List<By> by = sendEach(module, number(1), 400);
    for (int n = 1; n <= 400; n++) {
      boolean travels = n == 1 || n % 5 == 0;
      assertEquals(travels, by.get(n - 1) == By.SERVER, "number " + n + " by " + by.get(n - 1));
    }
    assertTrue(by.stream().filter(b -> b == By.KERNEL).count() >= 400 * 3 / 5 - 10);
    assertEquals(1, kernel.puts); // and armed each time
    assertTrue(kernel.arms > 70, kernel.arms + " times");
  }

  /** Also if the answer's seconds end before its budget: the kernel's own count decides. */
  @Test
  void eachNthTravelsOnWhenAnswersEndEarlier() {
    KeepAlive module = module("pass-every", "20", "kernel", "60");
    List<By> by = sendEach(module, number(1), 400);
    for (int n = 1; n <= 400; n++) {
      assertEquals(n == 1 || n % 20 == 0, by.get(n - 1) == By.SERVER, "number " + n);
    }
    assertTrue(by.contains(By.KERNEL));
  }

  @Test
  void anAgentInAHurryStaysWithTheModule() {
    KeepAlive module = module("pass-every", "5");
    for (int n = 1; n <= 50; n++) {
      kernel.micros += 500_000;
      assertEquals(n == 1 || n % 5 == 0 ? By.SERVER : By.MODULE, send(module, number(n)));
    }
  }

  /** A repetition of a keep-alive that was let through is the server's to answer. */
  @Test
  void noRepetitionIsAnswered() {
    KeepAlive module = module("pass-every", "5");
    sendEach(module, number(1), 9);
    kernel.micros += SPACING;
    for (int i = 0; i < 5; i++) {
      kernel.micros += 2_000_000;
      assertEquals(By.SERVER, send(module, number(10)));
    }
  }

  /** A node that refuses is not asked again for ten seconds, whoever the agent is. */
  @Test
  void aRefusalIsHeeded() {
    kernel.refuses = true;
    KeepAlive module = module();
    for (int n = 0; n < 200; n++) {
      kernel.micros += 100_000;
      assertEquals(By.MODULE, send(module, number(n)));
    }
    assertEquals(2, module.counters().get("KERNEL_REFUSED"));
    kernel.refuses = false;
    kernel.micros += 10_000_000;
    send(module, number(201));
    assertEquals(By.KERNEL, send(module, number(202)));
  }

  @Test
  void silenceOfTheServerEndsAllAnswers() {
    KeepAlive module = module("pass-every", "5", "silent-after", "2");
    sendEach(module, number(1), 8);
    assertFalse(kernel.entries.isEmpty());
    for (int port = 1; port <= 2; port++) { // two agents whose first one is not answered
      for (int i = 0; i < 2; i++) {
        byte[] message = Messages.bytes(Messages.notify(7));
        Packet packet = Packets.udp4(Messages.CLIENT, port, Messages.SERVER, 5060, message);
        Messages.decide(module, packet);
      }
    }
    Packet packet = Packets.udp4(Messages.CLIENT, 3, Messages.SERVER, 5060, bytes());
    assertEquals(Verdict.PASS, Messages.decide(module, packet).verdict());
    assertTrue(kernel.entries.isEmpty());
    assertEquals(By.SERVER, send(module, number(9)));
    assertEquals(4096, kernel.free);
  }

  private static byte[] bytes() {
    return Messages.bytes(Messages.notify(8));
  }

  @Test
  void aMessageOfAnotherFormIsLearnedAnew() {
    KeepAlive module = module();
    for (int n = 0; n < 10; n++) {
      send(module, 100 + n);
    }
    assertEquals(By.KERNEL, send(module, 110));
    for (int n = 0; n < 10; n++) { // one digit more
      send(module, 1000 + n);
    }
    assertEquals(By.KERNEL, send(module, 1010));
    assertEquals(By.MODULE, send(module, 111)); // one template for each agent
    assertEquals(2, kernel.puts);
  }

  @Test
  void pingsAreSwallowed() {
    KeepAlive module = module();
    byte[] ping = {0, 0, 0, 0};
    assertEquals(By.MODULE, send(module, ping));
    assertEquals(0, kernel.reply(Messages.packet(ping)).length);
    assertNull(kernel.reply(Messages.packet(new byte[] {0, 0, 0, 1})));
  }

  @Test
  void stunAndOtherPacketsAreNeverTheKernels() {
    KeepAlive module = module();
    byte[] stun = new byte[20];
    stun[1] = 1;
    stun[4] = 0x21;
    stun[5] = 0x12;
    stun[6] = (byte) 0xa4;
    stun[7] = 0x42;
    for (int i = 0; i < 5; i++) {
      assertEquals(By.MODULE, send(module, stun));
    }
    for (int i = 0; i < 5; i++) {
      assertEquals(
          By.SERVER, send(module, Messages.bytes(Messages.notify(7).replace("NOTIFY", "MESSAGE"))));
    }
    assertTrue(kernel.entries.isEmpty());
  }

  @Test
  void itIsOffByItsPropertyAndEndsWithTheModule() {
    KeepAlive off = module("kernel", "0");
    sendEach(off, number(1), 5);
    assertTrue(kernel.entries.isEmpty());
    KeepAlive module = module();
    sendEach(module, number(1), 5);
    assertEquals(1, kernel.entries.size());
    module.modified(Map.of("pass-every", "0"));
    assertTrue(kernel.entries.isEmpty());
    sendEach(module, number(1), 5);
    assertEquals(1, kernel.entries.size());
    module.deactivate();
    assertTrue(kernel.entries.isEmpty());
    assertEquals(4096, kernel.free);
  }

  /** A full node: agents whose answers have ended make room for others. */
  @Test
  void placesAreGivenBack() {
    kernel.free = 2;
    KeepAlive module = module();
    for (int port = 1; port <= 3; port++) {
      for (int i = 0; i < 4; i++) {
        push(module, port);
      }
    }
    assertEquals(2, kernel.entries.size());
    kernel.micros += 400_000_000;
    for (int port = 1; port <= 2; port++) { // the kernel sees that their seconds are over
      assertNull(kernel.reply(agent(port)));
    }
    push(module, 3);
    assertEquals(1, kernel.entries.size());
    assertNotNull(kernel.reply(agent(3)));
  }

  private Packet agent(int port) {
    Packet packet =
        Packets.udp4(
            Messages.CLIENT, port, Messages.SERVER, 5060, Messages.bytes(Messages.notify(7)));
    return Packets.arrived(packet, (int) kernel.micros);
  }

  private void push(KeepAlive module, int port) {
    kernel.heed(Messages.decide(module, agent(port)));
  }

  /**
   * Agents of every pace, and a node that ends answers: at most n - 1 in a row do not travel on.
   */
  @Test
  void noServerMissesMoreThanItsShare() {
    for (int seed = 0; seed < 40; seed++) {
      Random random = new Random(seed);
      kernel.entries.clear();
      KeepAlive module =
          module("pass-every", "7", "kernel", String.valueOf(1 + random.nextInt(400)));
      int since = 0;
      for (int n = 1; n < 600; n++) {
        kernel.micros += 1 + random.nextInt(random.nextBoolean() ? 900_000 : 60_000_000);
        By by = send(module, number(n));
        if (random.nextInt(40) == 0) {
          kernel.entries.values().stream().toList().forEach(FakeKernel.Entry::end);
        }
        since = by == By.SERVER ? 0 : since + 1;
        assertTrue(since < 7, "seed " + seed + ", number " + n + ": " + since);
      }
    }
  }
}
