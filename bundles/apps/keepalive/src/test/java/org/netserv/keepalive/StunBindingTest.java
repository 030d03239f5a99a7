// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.netserv.keepalive.Messages.module;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.packet.Packet;
import org.netserv.packet.Verdict;

class StunBindingTest {
  private static final String TRANSACTION = "b7e7a701bc34d686fa87dfae"; // RFC 5769's

  private static byte[] stun(int type, String attributes) {
    String length = "%04x".formatted(attributes.length() / 2);
    return HexFormat.of()
        .parseHex("%04x".formatted(type) + length + "2112a442" + TRANSACTION + attributes);
  }

  private static byte[] withFingerprint(byte[] message) {
    ByteBuffer all = ByteBuffer.allocate(message.length + 8).put(message);
    all.putShort(2, (short) (message.length - 20 + 8));
    CRC32 crc = new CRC32();
    crc.update(all.array(), 0, message.length);
    return all.putInt(0x80280004).putInt((int) crc.getValue() ^ 0x5354554e).array();
  }

  private static byte[] answered(byte[] request) {
    Packet packet = Messages.packet(request);
    Messages.assertAnswers(module(), packet);
    assertEquals(0xcb007109, packet.destination4());
    return Messages.payload(packet);
  }

  private static void passed(byte[] request, Why why) {
    Packet packet = Messages.packet(request);
    byte[] before = packet.toBytes();
    Messages.assertDecides(Verdict.PASS, why.text(), module(), packet);
    assertArrayEquals(before, packet.toBytes());
  }

  @Test
  void ipv4() {
    // 203.0.113.9:40000 under the cookie
    byte[] body = stun(0x0101, "002000080001" + "bd52" + "ea12d54b");
    assertArrayEquals(withFingerprint(body), answered(stun(1, "")));
    assertArrayEquals(withFingerprint(body), answered(withFingerprint(stun(1, ""))));
  }

  @Test
  void ipv6() {
    Packet packet = Messages.packet6(stun(1, "80220004" + "74657374"));
    assertEquals(Verdict.CHANGED, Messages.verdict(module(), packet));
    String address = "0113a9fa" + "b7e7a701" + "bc34d686" + "fa87dfa7";
    byte[] body = stun(0x0101, "002000140002" + "bd52" + address);
    assertArrayEquals(withFingerprint(body), Messages.payload(packet));
  }

  @Test
  void whatItDoesNotUnderstandIsRefusedByName() {
    byte[] request = stun(1, "00030004" + "00000006" + "0024" + "0004" + "6e0001ff");
    String reason =
        HexFormat.of()
            .formatHex("Unknown Attribute".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    byte[] body =
        stun(0x0111, "00090015" + "00000414" + reason + "000000" + "000a0004" + "00030024");
    assertArrayEquals(withFingerprint(body), answered(request));
  }

  @ParameterizedTest
  @CsvSource({
    "0011, '', STUN_TYPE",
    "0101, '', STUN_TYPE",
    "0003, '', STUN_TYPE",
    "0001, 0006000461626364, STUN_CREDENTIALS",
    "0001, 000800140102030405060708090a0b0c0d0e0f1011121314, STUN_CREDENTIALS",
    "0001, 0015000461626364, STUN_CREDENTIALS",
    "0001, 80280004deadbeef, STUN_MALFORMED",
    "0001, 8022000874657374, STUN_MALFORMED",
    "0001, 8022ffff74657374, STUN_MALFORMED"
  })
  void othersPass(String type, String attributes, Why why) {
    passed(stun(Integer.parseInt(type, 16), attributes), why);
  }

  @Test
  void truncatedOrMutatedNeverAnsweredWronglyAndNeverThrows() {
    byte[] request = withFingerprint(stun(1, "80220004" + "74657374"));
    for (int cut = 5; cut < request.length; cut++) {
      Packet packet = Messages.packet(Arrays.copyOf(request, cut));
      assertEquals(Verdict.PASS, Messages.verdict(module(), packet), "cut at " + cut);
    }
    for (int bit = 0; bit < request.length * 8; bit++) {
      byte[] bad = request.clone();
      bad[bit / 8] ^= (byte) (1 << bit % 8);
      Packet packet = Messages.packet(bad);
      int at = bit / 8;
      boolean hidden = at == 22 || at == 23 || at == 28 || at == 29;
      if (!hidden) { // SOFTWARE's length may swallow FINGERPRINT, its type may make it another one
        assertEquals(Verdict.PASS, Messages.verdict(module(), packet), "bit " + bit);
      }
    }
  }

  @Test
  void canBeSwitchedOff() {
    Packet packet = Messages.packet(stun(1, ""));
    Messages.assertDecides(Verdict.PASS, Why.STUN_OFF.text(), module("stun", "off"), packet);
  }
}
