// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.keepalive.Messages.module;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.packet.Packet;
import org.netserv.packet.Verdict;
import org.netserv.sip.Torture;

class HostileInputTest {
  private static final int UDP_MOST = 1472;

  /**
   * None of the 49 is a keep-alive. One, longreq, does not fit a packet of 1500 bytes and is cut.
   */
  @Test
  void tortureMessagesPassByteForByte() throws IOException {
    KeepAlive module = module("server", "example.com example.org 192.0.2.1");
    for (Map.Entry<String, byte[]> entry : Torture.messages().entrySet()) {
      byte[] bytes = entry.getValue();
      Packet packet = Messages.packet(Arrays.copyOf(bytes, Math.min(bytes.length, UDP_MOST)));
      byte[] before = packet.toBytes();
      assertEquals(Verdict.PASS, Messages.verdict(module, packet), entry.getKey());
      assertArrayEquals(before, packet.toBytes(), entry.getKey());
    }
  }

  /** The same message asked of the server itself is a genuine OPTIONS: folds, many Vias and all. */
  @Test
  void tortureMessageTurnedIntoAnOptionsToTheServerIsAnswered() throws IOException {
    String text = new String(Torture.messages().get("transports"), StandardCharsets.ISO_8859_1);
    String asked = text.replace("sip:user@example.com SIP", "sip:192.0.2.1 SIP");
    Packet packet = Messages.packet(asked.getBytes(StandardCharsets.ISO_8859_1));
    Messages.assertAnswers(module(), packet);
    StrictReply reply = new StrictReply(asked, Messages.text(packet));
    assertTrue(reply.topVia().endsWith(";received=203.0.113.9"), reply.topVia());
  }

  @Test
  void truncatedKeepAlivePasses() {
    byte[] whole = Messages.bytes(Messages.notify(1));
    KeepAlive module = module();
    for (int cut = 2; cut < whole.length; cut++) {
      Packet packet = Messages.packet(Arrays.copyOf(whole, cut));
      byte[] before = packet.toBytes();
      assertEquals(Verdict.PASS, Messages.verdict(module, packet), "cut at " + cut);
      assertArrayEquals(before, packet.toBytes());
    }
  }

  /** Whatever is answered has to be a correct reply; whatever passes has to be untouched. */
  @Test
  void mutatedKeepAlives() {
    Random random = new Random(20);
    String marks = "\r\n :;,<>\"\\@=[]/\0%\t0a";
    KeepAlive module = module();
    int answered = 0;
    for (int round = 0; round < 20_000; round++) {
      String kind = random.nextBoolean() ? Messages.notify(7) : Messages.options("sip:192.0.2.1");
      byte[] bytes = Messages.bytes(kind);
      for (int i = random.nextInt(3); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] =
            random.nextBoolean()
                ? (byte) marks.charAt(random.nextInt(marks.length()))
                : (byte) random.nextInt(256);
      }
      Packet packet = Messages.packet(bytes);
      byte[] before = packet.toBytes();
      if (Messages.verdict(module, packet) == Verdict.PASS) {
        assertArrayEquals(before, packet.toBytes());
      } else {
        answered++;
        String reply = Messages.text(packet);
        assertTrue(reply.startsWith("SIP/2.0 200 OK\r\n") && reply.endsWith("\r\n\r\n"));
        assertEquals(reply.replaceAll("\r\n", "").indexOf('\n'), -1);
        assertEquals(0xcb007109, packet.destination4());
      }
    }
    assertTrue(answered > 1000, "only " + answered + " answered: the test sees too little");
  }
}
