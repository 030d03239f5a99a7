// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.netserv.packet.Tally;
import org.netserv.translator.core.Names;
import org.netserv.translator.core.Outcome;

/** Questions as bytes, and the bytes of their answers. */
class AnswererTest {
  private static final int HEADER = 12;
  private static final int A = 1;
  private static final int AAAA = 28;
  private static final int LONGER = 28;

  private final Tally<Outcome> tally = new Tally<>(Outcome.class);
  private final EmbeddedChannel channel;

  AnswererTest() throws UnknownHostException {
    Names names = names();
    channel = new EmbeddedChannel();
    Answerer.into(channel.pipeline(), names, new Relays(tally));
  }

  static Names names() throws UnknownHostException {
    InetAddress both = InetAddress.getByName("2001:db8::9");
    return new Names(
        53,
        true,
        Map.of(
            new Names.Key("shop.example", false), InetAddress.getByName("203.0.113.7"),
            new Names.Key("six.example", true), InetAddress.getByName("2001:db8::7"),
            new Names.Key("both.example", false), InetAddress.getByName("203.0.113.9"),
            new Names.Key("both.example", true), both),
        60);
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  static byte[] question(int flags, String name, int type, int kind) {
    ByteBuf bytes = Unpooled.buffer();
    bytes.writeShort(0x1234).writeShort(flags).writeShort(1).writeZero(6);
    for (String label : name.split("\\.", -1)) {
      bytes.writeByte(label.length()).writeCharSequence(label, StandardCharsets.US_ASCII);
    }
    bytes.writeByte(0).writeShort(type).writeShort(kind);
    return ByteBufUtil.getBytes(bytes);
  }

  private byte[] ask(byte[] question) {
    InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 53);
    InetSocketAddress client = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4000);
    channel.writeInbound(new DatagramPacket(Unpooled.wrappedBuffer(question), here, client));
    DatagramPacket answer = channel.readOutbound();
    if (answer == null) {
      return null;
    }
    assertEquals(client, answer.recipient());
    byte[] bytes = ByteBufUtil.getBytes(answer.content());
    answer.release();
    return bytes;
  }

  private static int code(byte[] answer) {
    return answer[3] & 0xf;
  }

  @Test
  void aNameHasItsAddress() throws UnknownHostException {
    byte[] question = question(0x0100, "Shop.Example", A, 1);
    byte[] answer = ask(question);
    assertEquals(0x85, answer[2] & 0xff); // an answer, authoritative, recursion was desired
    assertEquals(0, code(answer));
    assertEquals(1, answer[7]);
    assertArrayEquals(
        InetAddress.getByName("203.0.113.7").getAddress(),
        Arrays.copyOfRange(answer, answer.length - 4, answer.length));
    byte[] six = ask(question(0, "six.example", AAAA, 1));
    assertEquals(1, six[7]);
    assertArrayEquals(
        InetAddress.getByName("2001:db8::7").getAddress(),
        Arrays.copyOfRange(six, six.length - 16, six.length));
    assertEquals(2, tally.get(Outcome.DNS_ANSWERED));
  }

  @Test
  void theOtherFamilyHasNoRecord() {
    byte[] answer = ask(question(0, "shop.example", AAAA, 1));
    assertEquals(0, code(answer));
    assertEquals(0, answer[7]);
    assertEquals(0, ask(question(0, "six.example", A, 1))[7]);
  }

  @Test
  void aNameMayHaveBothFamilies() throws UnknownHostException {
    byte[] four = ask(question(0, "both.example", A, 1));
    byte[] six = ask(question(0, "both.example", AAAA, 1));
    assertArrayEquals(
        InetAddress.getByName("203.0.113.9").getAddress(),
        Arrays.copyOfRange(four, four.length - 4, four.length));
    assertArrayEquals(
        InetAddress.getByName("2001:db8::9").getAddress(),
        Arrays.copyOfRange(six, six.length - 16, six.length));
    assertEquals(0, ask(question(0, "both.example", 16, 1))[7]); // TXT
  }

  @Test
  void allElseIsRefused() {
    assertEquals(5, code(ask(question(0, "other.example", A, 1))));
    assertEquals(5, code(ask(question(0, "shop.example.org", A, 1))));
    assertEquals(5, code(ask(question(0, "shop.example", A, 3))));
    assertEquals(4, code(ask(question(0x2800, "shop.example", A, 1)))); // UPDATE
    byte[] none = Arrays.copyOf(question(0, "shop.example", A, 1), HEADER);
    none[5] = 0;
    assertEquals(1, code(ask(none)));
    assertEquals(5, tally.get(Outcome.DNS_REFUSED));
    assertNull(ask(question(0x8000, "shop.example", A, 1))); // an answer is no question
    assertEquals(1, tally.get(Outcome.DNS_MALFORMED));
  }

  /** Each datagram is counted once, and no answer is much longer than its question. */
  @Test
  void cutAndChangedQuestions() {
    byte[] whole = question(0x0100, "shop.example", A, 1);
    for (int length = 0; length < whole.length; length++) {
      once(Arrays.copyOf(whole, length));
    }
    Random random = new Random(53);
    for (int i = 0; i < 50_000; i++) {
      byte[] mutant = Arrays.copyOf(whole, whole.length + random.nextInt(3));
      for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
        mutant[random.nextInt(mutant.length)] = (byte) random.nextInt();
      }
      once(mutant);
    }
    assertTrue(tally.get(Outcome.DNS_MALFORMED) > 1000, tally.snapshot().toString());
    assertTrue(tally.get(Outcome.DNS_ANSWERED) > 1000, tally.snapshot().toString());
  }

  private void once(byte[] question) {
    long before = tally.snapshot().values().stream().mapToLong(Long::longValue).sum();
    byte[] answer = ask(question);
    assertEquals(before + 1, tally.snapshot().values().stream().mapToLong(Long::longValue).sum());
    assertTrue(answer == null || answer.length <= question.length + LONGER);
  }
}
