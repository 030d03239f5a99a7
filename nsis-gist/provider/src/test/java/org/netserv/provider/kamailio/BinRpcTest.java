// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.kamailio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** BINRPC as kamcmd and Kamailio 5.6 exchange it. */
class BinRpcTest {
  /** The answer to mqueue.fetch: a structure with the members key and val. */
  private static final byte[] EVENT =
      HexFormat.of()
          .parseHex(
              "a1"
                  + "13"
                  + "27"
                  + "00000007"
                  + "03"
                  + "45"
                  + "6b657900"
                  + "61"
                  + "6167656e7400"
                  + "45"
                  + "76616c00"
                  + "91"
                  + "15"
                  + "31206b656570616c697665203a3a312035303630"
                  + "00"
                  + "83");

  private static Object read(byte[] message) throws BinRpcException {
    ByteBuffer in = ByteBuffer.wrap(message);
    BinRpc.Head head = BinRpc.head(in);
    assertNotNull(head);
    return BinRpc.records(in.slice(in.position(), head.length()));
  }

  @Test
  void aRequestHasTheMethodAndItsArguments() {
    byte[] request = BinRpc.request(5, "ab", List.of("c", 258));
    String wanted =
        "a1" + "0f" + "0000000c" + "00000005" + "31" + "616200" + "21" + "6300" + "40" + "00000102";
    assertEquals(wanted, HexFormat.of().formatHex(request));
  }

  @Test
  void aLongStringHasALengthOfItsOwn() {
    byte[] request = BinRpc.request(1, "mqueue.fetch", List.of());
    byte[] body = new byte[request.length - 10];
    System.arraycopy(request, 10, body, 0, body.length);
    assertArrayEquals(
        HexFormat.of().parseHex("c1" + "0000000d" + "6d71756575652e666574636800"), body);
  }

  @Test
  void anEventIsAStructure() throws BinRpcException {
    byte[] whole = EVENT.clone();
    whole[2] = (byte) (whole.length - 7);
    assertEquals(List.of(Map.of("key", "agent", "val", "1 keepalive ::1 5060")), read(whole));
  }

  @Test
  void aFaultIsToldByItsHead() throws BinRpcException {
    ByteBuffer in =
        ByteBuffer.wrap(HexFormat.of().parseHex("a130" + "06" + "01" + "200194" + "21" + "4500"));
    BinRpc.Head head = BinRpc.head(in);
    assertEquals(new BinRpc.Head(true, 6, 1), head);
    assertEquals(List.of(404, "E"), BinRpc.records(in));
  }

  @Test
  void aHeadThatIsNotWholeIsAwaited() throws BinRpcException {
    for (int length = 0; length < 7; length++) {
      ByteBuffer in = ByteBuffer.wrap(EVENT, 0, length);
      assertNull(BinRpc.head(in), length + " bytes");
      assertEquals(0, in.position());
    }
  }

  @Test
  void anAnswerThatIsTooLongIsRefusedBeforeMemoryIsTaken() {
    byte[] head = HexFormat.of().parseHex("a11c7fffffff01");
    assertThrows(BinRpcException.class, () -> BinRpc.head(ByteBuffer.wrap(head)));
  }

  @Test
  void recordsThatAreCutAtAnyByteAreRefused() throws BinRpcException {
    byte[] body = new byte[EVENT.length - 7];
    System.arraycopy(EVENT, 7, body, 0, body.length);
    assertEquals(1, BinRpc.records(ByteBuffer.wrap(body)).size());
    for (int length = 1; length < body.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(body, 0, length);
      assertThrows(BinRpcException.class, () -> BinRpc.records(cut), length + " bytes");
    }
  }

  @Test
  void structuresThatAreNestedTooDeepAreRefused() {
    byte[] deep = new byte[10_000];
    java.util.Arrays.fill(deep, (byte) 4);
    assertThrows(BinRpcException.class, () -> BinRpc.records(ByteBuffer.wrap(deep)));
  }

  @Test
  void randomBytesAndChangedBytesNeverDoWorseThanARefusal() {
    Random random = new Random(7);
    for (int round = 0; round < 200_000; round++) {
      byte[] bytes = round % 2 == 0 ? EVENT.clone() : new byte[random.nextInt(64)];
      if (round % 2 == 0) {
        for (int i = 0; i <= random.nextInt(3); i++) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
      } else {
        random.nextBytes(bytes);
      }
      try {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        BinRpc.Head head = BinRpc.head(in);
        if (head != null) {
          BinRpc.records(in);
        }
      } catch (BinRpcException e) {
        assertNotNull(e.getMessage());
      }
    }
  }
}
