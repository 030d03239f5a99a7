// SPDX-License-Identifier: Apache-2.0
package org.netserv.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedSelectorException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A selector without a host's natives. {@code selector_test} in C tries one with them. */
class UdpSelectorTest {
  private static final int SOCKETS = 20;

  private final DatagramBatch batch = new DatagramBatch(16, 100);
  private final UdpSocket[] sockets = new UdpSocket[SOCKETS];
  private UdpSelector selector;

  @BeforeEach
  void open() throws IOException {
    selector = UdpSelector.open();
    for (int i = 0; i < SOCKETS; i++) {
      sockets[i] = UdpSocket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      selector.add(sockets[i], 100 + i);
    }
  }

  @AfterEach
  void close() throws IOException {
    for (UdpSocket socket : sockets) {
      socket.close();
    }
    selector.close();
  }

  private void send(int from, int to, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      batch.part(0, batch.room(0), 1);
      batch.to(0, 0, 0xffff_7f00_0001L, sockets[to].localAddress().getPort());
      assertEquals(1, sockets[from].send(batch, 0, 1));
    }
  }

  @Test
  void datagramsComeWithTheirSocketsKeys() throws IOException {
    assertEquals(0, selector.receive(batch, 0));
    send(0, 1, 1);
    assertEquals(1, selector.receive(batch, -1));
    assertEquals(101, batch.key(0));
    assertEquals(1, UdpSocket.sendEach(batch, 0, 1));
    assertEquals(1, selector.receive(batch, -1));
    assertEquals(100, batch.key(0));
    assertEquals(sockets[1].localAddress().getPort(), batch.port(0));
    assertEquals(0, selector.events());
  }

  @Test
  void everyReadySocketHasItsTurn() throws IOException {
    for (int i = 0; i < SOCKETS; i++) {
      send(0, i, 3);
    }
    int[] seen = new int[SOCKETS];
    for (int count = selector.receive(batch, 0); count > 0; count = selector.receive(batch, 0)) {
      for (int i = 0; i < count; i++) {
        seen[(int) batch.key(i) - 100]++;
      }
    }
    for (int times : seen) {
      assertEquals(3, times);
    }
  }

  /** Sends datagrams of growing length. The bytes of each are its length. */
  private void sendGrowing(int from, int to, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      for (int at = 0; at <= i; at++) {
        batch.bytes().put(batch.room(0) + at, (byte) (i + 1));
      }
      batch.part(0, batch.room(0), i + 1);
      batch.to(0, 0, 0xffff_7f00_0001L, sockets[to].localAddress().getPort());
      assertEquals(1, sockets[from].send(batch, 0, 1));
    }
  }

  private static void assertGrowing(DatagramBatch packed, int first, int count) {
    for (int i = 0; i < count; i++) {
      assertEquals(i + 1, packed.length(first + i));
      for (int at = 0; at <= i; at++) {
        assertEquals(i + 1, packed.bytes().get(packed.start(first + i) + at));
      }
    }
  }

  @Test
  void shortDatagramsShareTheRoomsOfABatchThatHasFewer() throws IOException {
    DatagramBatch packed = new DatagramBatch(64, 2, 2_000);
    sendGrowing(0, 1, 20);
    assertEquals(20, selector.receive(packed, -1));
    assertGrowing(packed, 0, 20);
    sendGrowing(0, 1, 20);
    assertEquals(20, sockets[1].receive(packed));
    assertGrowing(packed, 0, 20);
  }

  @Test
  void aDatagramOfTheFullSizeFitsBehindOthers() throws IOException {
    DatagramBatch packed = new DatagramBatch(64, 2, 100);
    sendGrowing(0, 1, 90);
    int seen = 0;
    for (int count = selector.receive(packed, 0); count > 0; count = selector.receive(packed, 0)) {
      for (int i = 0; i < count; i++) {
        assertEquals(++seen, packed.length(i));
        assertEquals(seen, packed.bytes().get(packed.start(i)));
        assertEquals(seen, packed.bytes().get(packed.start(i) + seen - 1));
      }
    }
    assertEquals(90, seen);
  }

  @Test
  void aBatchIsFullWithItsEntries() throws IOException {
    DatagramBatch packed = new DatagramBatch(4, 2, 2_000);
    send(0, 1, 5);
    assertEquals(4, selector.receive(packed, -1));
    assertEquals(1, selector.receive(packed, -1));
  }

  @Test
  void aBusySocketLeavesMemoryToOthers() throws IOException {
    DatagramBatch packed = new DatagramBatch(1024, 2, 10);
    sendGrowing(0, 1, 20); // the last ones fill a room
    send(0, 2, 1);
    int others = 0;
    for (int round = 0; round < 3; round++) {
      int count = selector.receive(packed, 0);
      for (int i = 0; i < count; i++) {
        others += packed.key(i) == 102 ? 1 : 0;
      }
      assertEquals(round + 1, others);
      send(0, 2, 1);
    }
  }

  @Test
  void roomToWriteIsAnEvent() throws IOException {
    selector.interest(sockets[3], false, true);
    assertEquals(0, selector.receive(batch, -1));
    assertEquals(1, selector.events());
    assertEquals(103, selector.eventKey(0));
    assertTrue(selector.isWritable(0));
    assertThrows(IndexOutOfBoundsException.class, () -> selector.eventKey(1));
    selector.interest(sockets[3], false, false);
    send(0, 3, 1);
    assertEquals(0, selector.receive(batch, 0));
    assertEquals(0, selector.events());
  }

  @Test
  void aSocketLeaves() throws IOException {
    selector.remove(sockets[4]);
    selector.remove(sockets[4]);
    send(0, 4, 1);
    assertEquals(0, selector.receive(batch, 0));
    selector.add(sockets[4], 7);
    assertThrows(IOException.class, () -> selector.add(sockets[4], 8));
    assertEquals(1, selector.receive(batch, 0));
    assertEquals(7, batch.key(0));
    send(0, 5, 1);
    sockets[5].close();
    assertEquals(0, selector.receive(batch, 0));
    assertThrows(IOException.class, () -> selector.interest(sockets[5], true, true));
  }

  @Test
  void aWakeUpEndsOneWait() throws IOException {
    selector.wakeup();
    assertEquals(0, selector.receive(batch, -1));
  }

  @Test
  void aClosedSelectorSaysSo() throws IOException {
    selector.close();
    selector.close();
    assertThrows(ClosedSelectorException.class, () -> selector.receive(batch, 0));
  }
}
