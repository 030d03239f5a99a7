// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.overload.feedback.FeedbackKind;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.packet.Verdict;
import org.netserv.sip.Torture;

class EdgeTest {
  private static final String INVITE = Rig.request("INVITE", "1", "");

  private final Rig rig = new Rig("fair", "off");

  private void close() {
    rig.feedback(FeedbackKind.LOSS, 100, 500);
  }

  @Test
  void withoutFeedbackEverythingPassesUntouched() {
    for (String method : new String[] {"INVITE", "REGISTER", "OPTIONS", "BYE", "ACK", "CANCEL"}) {
      assertEquals(Verdict.PASS, rig.send(Rig.request(method, method, "")), method);
    }
    assertEquals(3, rig.count(Why.ADMITTED));
    assertEquals(3, rig.count(Why.EXEMPT));
  }

  @Test
  void aRejectedInviteGetsA503WithTheHeadersOf8262() {
    close();
    rig.assertRejected(rig.send(INVITE));
    String expected =
        """
        SIP/2.0 503 Service Unavailable
        Via: SIP/2.0/UDP 198.51.100.2:5060;branch=z9hG4bK1
        From: <sip:alice@example.com>;tag=1
        To: <sip:bob@example.com>;tag=TAG
        Call-ID: 1@198.51.100.2
        CSeq: 1 INVITE
        Retry-After: N
        Content-Length: 0

        """;
    String text = rig.text().replaceAll("tag=[0-9a-f]{16}", "tag=TAG");
    assertEquals(expected, text.replaceAll("Retry-After: ([5-9]|10)\n", "Retry-After: N\n"));
    assertEquals(0xc000020a, rig.last.source4());
    assertEquals(0xc6336402, rig.last.destination4());
  }

  @Test
  void repetitionsOfARejectedRequestGetTheSame503AndCountOnce() {
    close();
    rig.send(INVITE);
    String first = rig.text();
    for (int i = 0; i < 6; i++) {
      rig.sleep(0.5);
      rig.assertRejected(rig.send(INVITE)); // though the feedback is no longer valid
      assertEquals(first, rig.text());
    }
    assertEquals(1, rig.count(Why.REJECTED));
    assertEquals(6, rig.count(Why.REJECTED_AGAIN));
  }

  @Test
  void theAckOfA503IsAbsorbedAndItsCancelAnswered() {
    close();
    rig.send(INVITE);
    assertEquals(Verdict.DROP, rig.send(Rig.request("ACK", "1", "in-dialog")));
    assertEquals(Verdict.CHANGED, rig.send(Rig.request("CANCEL", "1", "")));
    assertTrue(rig.text().startsWith("SIP/2.0 200 OK\n"));
    assertTrue(rig.text().contains("CSeq: 1 CANCEL\n"));
    assertEquals(Verdict.PASS, rig.send(Rig.request("ACK", "2", "in-dialog"))); // another's
  }

  @Test
  void anAdmittedRequestStaysAdmitted() {
    rig.send(INVITE);
    close();
    assertEquals(Verdict.PASS, rig.send(INVITE));
    assertEquals(Verdict.PASS, rig.send(Rig.request("CANCEL", "1", "")));
    assertEquals(Verdict.PASS, rig.send(Rig.request("ACK", "1", "in-dialog")));
    assertEquals(1, rig.count(Why.REPEATED));
  }

  @Test
  void repetitionsAreAbsorbedOnceTheServerHasSaid100() {
    rig.send(INVITE);
    assertEquals(Verdict.PASS, rig.reply(Rig.response(100, INVITE)));
    assertEquals(Verdict.CHANGED, rig.send(INVITE));
    assertTrue(rig.text().startsWith("SIP/2.0 100 Trying\n"));
    assertFalse(rig.text().contains("To: <sip:bob@example.com>;tag"));
    assertEquals(Verdict.PASS, rig.reply(Rig.response(200, INVITE)));
    assertEquals(Verdict.PASS, rig.send(INVITE)); // the server repeats its 200
    assertEquals(1, rig.count(Why.TRYING));
  }

  @Test
  void responsesFromElsewhereFindNoTransaction() {
    rig.send(INVITE);
    Packet forged =
        Packets.udp4("192.0.2.11", 5060, Rig.CLIENT, 5060, Rig.bytes(Rig.response(100, INVITE)));
    assertEquals(Verdict.PASS, rig.decide(forged));
    assertEquals(1, rig.count(Why.RESPONSE_UNKNOWN));
    assertEquals(Verdict.PASS, rig.send(INVITE));
    assertEquals(1, rig.count(Why.REPEATED));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ACK", "CANCEL", "BYE", "PRACK"})
  void exemptMethodsPassAClosedServer(String method) {
    close();
    assertEquals(Verdict.PASS, rig.send(Rig.request(method, "1", "in-dialog")));
  }

  @Test
  void controlEndsWithTheValidity() {
    close();
    rig.assertRejected(rig.send(INVITE));
    rig.sleep(0.499);
    rig.assertRejected(rig.send(Rig.request("INVITE", "2", "")));
    rig.sleep(0.002);
    assertEquals(Verdict.PASS, rig.send(Rig.request("INVITE", "3", "")));
  }

  @Test
  void validityZeroEndsControlAtOnce() {
    close();
    rig.assertRejected(rig.send(INVITE));
    rig.feedback(FeedbackKind.LOSS, 100, 0);
    assertEquals(Verdict.PASS, rig.send(Rig.request("INVITE", "2", "")));
  }

  @Test
  void theOfferIsAddedAndTheFeedbackTakenOut() {
    Rig offering = new Rig("offer", "on", "fair", "off");
    assertEquals(Verdict.CHANGED, offering.send(INVITE));
    String offered = offering.text();
    assertTrue(offered.contains(";branch=z9hG4bK1;oc;oc-algo=\"loss\"\n"), offered);
    String answer = Rig.response(180, offered);
    String filled =
        answer.replace(
            ";oc;oc-algo=\"loss\"",
            ";received=198.51.100.2;oc=100;oc-algo=\"loss\";oc-validity=500;oc-seq=1282321615.782;x");
    assertEquals(Verdict.CHANGED, offering.reply(filled));
    assertTrue(
        offering.text().contains(";branch=z9hG4bK1;received=198.51.100.2;x\n"), offering.text());
    offering.assertRejected(offering.send(Rig.request("INVITE", "2", "")));
    offering.sleep(0.501);
    offering.reply(filled); // the same oc-seq says nothing new
    assertEquals(Verdict.CHANGED, offering.send(Rig.request("INVITE", "3", "")));
    assertEquals(2, offering.count(Why.ADMITTED));
  }

  @Test
  void aServerWithoutOverloadControlLeavesTheOfferAndItIsTakenOut() {
    Rig offering = new Rig("offer", "on");
    offering.send(INVITE);
    assertEquals(Verdict.CHANGED, offering.reply(Rig.response(200, offering.text())));
    assertFalse(offering.text().contains("oc"), offering.text());
  }

  @Test
  void theOfferOfAClientIsItsOwn() {
    Rig offering = new Rig("offer", "on");
    String own = INVITE.replace("z9hG4bK1", "z9hG4bK1;oc;oc-algo=\"loss,rate\"");
    assertEquals(Verdict.PASS, offering.send(own));
    assertEquals(Verdict.PASS, offering.reply(Rig.response(200, own)));
  }

  @Test
  void requestsWithoutRoomForTheOfferPassAsTheyAre() {
    Rig offering = new Rig("offer", "on");
    int room = 1460 - Rig.bytes(Rig.request("INVITE", "1", "Subject: \n")).length;
    String padded = Rig.request("INVITE", "1", "Subject: " + "x".repeat(room) + "\n");
    assertEquals(Verdict.PASS, offering.send(padded));
  }

  @Test
  void aFullTableForgetsTheOldest() {
    Rig small = new Rig("max-transactions", "8", "fair", "off");
    small.feedback(FeedbackKind.LOSS, 100, 60_000);
    for (int i = 0; i < 100; i++) {
      small.sleep(0.001);
      small.assertRejected(small.send(Rig.request("INVITE", "b" + i, "")));
    }
    assertEquals(100, small.count(Why.REJECTED));
    small.send(Rig.request("INVITE", "b99", ""));
    small.send(Rig.request("INVITE", "b0", ""));
    assertEquals(1, small.count(Why.REJECTED_AGAIN));
    assertEquals(101, small.count(Why.REJECTED));
  }

  @Test
  void nothingButSipByUdpIsLookedInto() {
    close();
    byte[] sip = Rig.bytes(INVITE);
    assertEquals(Verdict.PASS, rig.decide(Packets.tcp4("1.2.3.4", 1, Rig.SERVER, 5060, 16, sip)));
    assertEquals(Verdict.PASS, rig.decide(Packets.udp4("1.2.3.4", 0, Rig.SERVER, 5060, sip)));
    assertEquals(
        Verdict.PASS, rig.decide(Packets.udp4("1.2.3.4", 1, Rig.SERVER, 5060, new byte[4])));
    assertEquals(Verdict.PASS, rig.decide(Packets.udp4("224.0.0.1", 1, Rig.SERVER, 5060, sip)));
    assertEquals(1, rig.count(Why.NOT_UDP));
    assertEquals(2, rig.count(Why.ADDRESS));
    assertEquals(1, rig.count(Why.NOT_SIP));
  }

  @Test
  void messagesOverIpv6AreAnswered() {
    close();
    byte[] sip = Rig.bytes(INVITE);
    rig.assertRejected(rig.decide(Packets.udp6("2001:db8::2", 5060, "2001:db8::1", 5060, sip)));
    assertTrue(rig.text().contains(";received=2001:db8::2\n"), rig.text());
  }

  @Test
  void tortureCutAtEachLengthAndMutantsPassOrAreAnswered() throws IOException {
    Random random = new Random(4475);
    for (byte[] message : Torture.messages().values()) {
      byte[] whole = message.length > 1400 ? Arrays.copyOf(message, 1400) : message;
      for (int cut = 0; cut <= whole.length; cut += 1 + whole.length / 200) {
        byte[] some = Arrays.copyOf(whole, cut);
        for (int i = random.nextInt(3); i > 0 && cut > 0; i--) {
          some[random.nextInt(cut)] = (byte) random.nextInt(256);
        }
        Packet packet = Packets.udp4(Rig.CLIENT, 5060, Rig.SERVER, 5060, some);
        byte[] before = packet.toBytes();
        close();
        Verdict verdict = rig.decide(packet);
        if (verdict == Verdict.PASS) {
          assertArrayEquals(before, packet.toBytes());
        }
      }
    }
    assertTrue(rig.count(Why.MALFORMED) > 1000);
    assertTrue(rig.count(Why.REJECTED) > 10);
  }
}
