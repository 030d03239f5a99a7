// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.keepalive.Messages.module;

import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.packet.Verdict;

/** A template decides and answers as the parser does. */
class AgentTemplateTest {
  private static final String BYTES = "azAZ09-._ ~@:;,=<>\"\\\r\n\t\0/[`{^\u007f\u0080\u00ff";

  private final SipKeepAlive sip =
      new SipKeepAlive(new ServerNames(ResponderSettings.of(Map.of())), false);
  private final AgentTemplate template = new AgentTemplate();

  private Why parse(Packet packet) {
    int start = packet.start() + packet.payloadOffset();
    return sip.reset(packet.buffer(), start, start + packet.payloadLength(), packet);
  }

  private boolean fits(Packet packet) {
    return template.fits(
        packet.buffer(), packet.start() + packet.payloadOffset(), packet.payloadLength());
  }

  private boolean learn(Packet packet) {
    Why what = parse(packet);
    assertTrue(what.isKeepAlive(), what.text());
    int start = packet.start() + packet.payloadOffset();
    return template.learn(sip, start, packet.payloadLength(), what);
  }

  private void learned(Packet packet) {
    template.take(packet);
    assertFalse(learn(packet), "an agent's first message");
    assertFalse(fits(packet));
    assertTrue(learn(packet));
    assertTrue(fits(packet));
  }

  private static byte[] changed(String message, int at, char c) {
    byte[] bytes = Messages.bytes(message);
    bytes[at] = (byte) c;
    return bytes;
  }

  /**
   * Tries each byte at each place. A message that fits is a keep-alive of the same transaction to
   * the parser.
   */
  @Test
  void whatFitsThePlainParserTakesToo() {
    for (String message :
        new String[] {
          Messages.notify(7).replace("CSeq: 7", "CSeq: 123456789"),
          Messages.notify(7).replace("Via: ", "v:\n ").replace("CSeq: 7", "CSeq: 0000000007"),
          Messages.notify(12)
              .replace(";branch", " ; received=1.1.1.1;BRANCH")
              .replace("\n\n", "\nX: y\n\n"),
          Messages.options("sip:192.0.2.1").replace(";tag=a7", ""),
          Messages.options("sip:192.0.2.1").replace("z9hG4bK-1", "\"z9hG4bK;1\"")
        }) {
      template.take(Messages.packet("another agent's"));
      learned(Messages.packet(message));
      int length = Messages.bytes(message).length;
      int fitting = 0;
      for (int at = 0; at < length; at++) {
        for (int i = 0; i < BYTES.length(); i++) {
          Packet packet = Messages.packet(changed(message, at, BYTES.charAt(i)));
          if (fits(packet)) {
            fitting++;
            assertEquals(template.what(), parse(packet), message + at + BYTES.charAt(i));
            int start = packet.start() + packet.payloadOffset();
            assertEquals(sip.transaction(), template.transaction(packet.buffer(), start));
          }
        }
      }
      assertTrue(fitting > 100, "only " + fitting + " fit: the test sees too little");
    }
  }

  /** The last word overlaps the word before it, unless the length is a multiple of eight. */
  @Test
  void everyByteCountsWhateverTheLength() {
    for (int more = 1; more <= Long.BYTES; more++) {
      String message = Messages.notify(7).replace("\n\n", "\nX: " + "y".repeat(more) + "\n\n");
      learned(Messages.packet(message));
      int length = Messages.bytes(message).length;
      for (int at = 0; at < length; at++) {
        Packet packet = Messages.packet(changed(message, at, '\0'));
        assertFalse(fits(packet), "NUL at " + at + " of " + length);
      }
    }
  }

  @Test
  void onlyTheFourFieldsAreFree() {
    String message =
        """
        NOTIFY sip:example.com SIP/2.0
        Via: SIP/2.0/UDP 10.0.0.7:5060;rport;branch=%%%%%
        From: "Agent" <sip:7@example.com>;tag=%%%
        To: <sip:example.com>
        Call-ID: %%%%%@%%%%%
        CSeq: ## NOTIFY
        Max-Forwards: 70
        Event: keep-alive
        Content-Length: 0

        """;
    learned(Messages.packet(message.replace('%', 'k').replace('#', '4')));
    byte[] marks = Messages.bytes(message);
    for (int at = 0; at < marks.length; at++) {
      String text = message.replace('%', 'k').replace('#', '4');
      assertEquals(marks[at] == '%', fits(Messages.packet(changed(text, at, 'Q'))), "Q at " + at);
      boolean free = marks[at] == '%' || marks[at] == '#';
      byte before = Messages.bytes(text)[at];
      assertEquals(
          free || before == '5', fits(Messages.packet(changed(text, at, '5'))), "5 at " + at);
    }
    assertFalse(fits(Messages.packet(message.replace('%', 'k').replace('#', '4') + "\n")));
  }

  /** Compares a module that knows the agent with a module that never saw it. */
  @Test
  void repliesAreTheSameWithAndWithoutOne() {
    Random random = new Random(6223);
    KeepAlive known = module();
    int answered = 0;
    for (int round = 0; round < 6_000; round++) {
      String base = random.nextBoolean() ? Messages.notify(7) : Messages.options("sip:192.0.2.1");
      Messages.verdict(known, Messages.packet(base));
      Messages.verdict(known, Messages.packet(base));
      byte[] bytes = Messages.bytes(base);
      for (int i = random.nextInt(5); i > 0; i--) {
        int at = random.nextInt(bytes.length);
        bytes[at] = (byte) BYTES.charAt(random.nextInt(random.nextBoolean() ? 9 : BYTES.length()));
      }
      Packet one = Messages.packet(bytes);
      Packet other = Messages.packet(bytes);
      Decision decision = Messages.decide(known, one);
      Messages.assertDecides(decision.verdict(), decision.reason(), module(), other);
      assertArrayEquals(other.toBytes(), one.toBytes());
      answered += decision.verdict() == Verdict.CHANGED ? 1 : 0;
    }
    assertTrue(answered > 500, "only " + answered + " answered: the test sees too little");
  }

  @Test
  void repliesToChangedFieldsAreRight() {
    KeepAlive module = module();
    for (int number = 100; number < 999; number++) {
      String request = Messages.notify(number).replace("tag=a7", "tag=" + number);
      Packet packet = Messages.packet(request);
      Messages.assertAnswers(module, packet);
      new StrictReply(request.replace("\n", "\r\n"), Messages.text(packet));
      Packet fresh = Messages.packet(request);
      Messages.verdict(module(), fresh);
      assertArrayEquals(fresh.toBytes(), packet.toBytes());
    }
  }

  /** The verdict on OPTIONS depends on the destination, the reply on the source. */
  @Test
  void anotherSourceOrDestinationIsAnotherAgent() {
    KeepAlive module = module();
    byte[] options = Messages.bytes(Messages.options("sip:192.0.2.1:5060"));
    for (int i = 0; i < 5; i++) {
      assertEquals(Verdict.CHANGED, Messages.verdict(module, Messages.packet(options)));
    }
    for (Packet packet :
        new Packet[] {
          Packets.udp4(Messages.CLIENT, Messages.PORT, "192.0.2.2", 5060, options),
          Packets.udp4(Messages.CLIENT, Messages.PORT, Messages.SERVER, 5061, options)
        }) {
      Messages.assertDecides(Verdict.PASS, Why.NOT_THE_SERVER.text(), module, packet);
    }
    Packet other = Packets.udp4("203.0.113.10", Messages.PORT, Messages.SERVER, 5060, options);
    assertEquals(Verdict.CHANGED, Messages.verdict(module, other));
    assertTrue(Messages.text(other).contains(";received=203.0.113.10"), Messages.text(other));
  }

  @Test
  void anAgentThatNeverSendsTheSameIsLearnedSeldom() {
    Packet packet = Messages.packet(Messages.notify(1));
    template.take(packet);
    int learned = 0;
    for (int i = 0; i < 640; i++) {
      learned += learn(packet) ? 1 : 0;
    }
    assertEquals(4 + 10, learned);
    assertTrue(fits(packet), "and it counts from the beginning after one that fits");
    assertFalse(learn(packet));
    assertTrue(learn(packet));
  }

  @Test
  void aLongMessageIsParsedEachTime() {
    String longer = Messages.notify(1).replace("Event", "X: " + "y".repeat(400) + "\nEvent");
    Packet packet = Messages.packet(longer);
    template.take(packet);
    for (int i = 0; i < 4; i++) {
      assertFalse(learn(packet));
    }
    KeepAlive module = module();
    for (int i = 0; i < 4; i++) {
      assertEquals(Verdict.CHANGED, Messages.verdict(module, Messages.packet(longer)));
    }
  }

  @Test
  void oneLearnedWhenItTravelledOnIsAnsweredLater() {
    KeepAlive module = module("pass-every", "4");
    StringBuilder verdicts = new StringBuilder();
    for (int number = 10; number < 22; number++) {
      String request = Messages.notify(number);
      Packet packet = Messages.packet(request);
      boolean answered = Messages.verdict(module, packet) == Verdict.CHANGED;
      verdicts.append(answered ? 'a' : 'p');
      if (answered) {
        new StrictReply(request.replace("\n", "\r\n"), Messages.text(packet));
      }
    }
    assertEquals("paapaaapaaap", verdicts.toString());
  }
}
