// SPDX-License-Identifier: Apache-2.0
package org.netserv.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A socket without a host's natives. {@code lab run servers} tries one with them. */
class UdpSocketTest {
  private static final int CLOSED = 9;
  private static final int INVALID = 22;
  private static final int NO_SUCH_FAMILY = 97;
  private static final int SIZE = 200;

  private final DatagramBatch batch = new DatagramBatch(8, SIZE);
  private UdpSocket here;
  private DatagramChannel there;

  @AfterEach
  void close() throws IOException {
    if (here != null) {
      here.close();
      there.close();
    }
  }

  private void open(String loopback) throws IOException {
    InetAddress address = InetAddress.getByName(loopback);
    here = UdpSocket.bind(new InetSocketAddress(address, 0));
    there =
        DatagramChannel.open(
            address instanceof Inet6Address
                ? StandardProtocolFamily.INET6
                : StandardProtocolFamily.INET);
    there.bind(new InetSocketAddress(address, 0));
  }

  private void fill(int entry, int length) throws IOException {
    for (int i = 0; i < length; i++) {
      batch.bytes().put(batch.room(entry) + i, (byte) entry);
    }
    batch.part(entry, batch.room(entry), length);
    InetSocketAddress to = (InetSocketAddress) there.getLocalAddress();
    batch.to(entry, Addresses.high(to.getAddress()), Addresses.low(to.getAddress()), to.getPort());
    batch.via(entry, here);
  }

  private byte[] next() throws IOException {
    ByteBuffer got = ByteBuffer.allocate(1000);
    there.receive(got);
    return Arrays.copyOf(got.array(), got.position());
  }

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1"})
  void sendsAndReceivesBothFamilies(String loopback) throws IOException {
    open(loopback);
    int[] lengths = {10, 10, 0, 200, 1};
    for (int i = 0; i < lengths.length; i++) {
      fill(i, lengths[i]);
    }
    assertEquals(5, here.send(batch, 0, 5));
    for (int i = 0; i < lengths.length; i++) {
      assertEquals(0, batch.error(i));
      assertArrayEquals(filled(lengths[i], i), next());
      there.send(ByteBuffer.wrap(filled(lengths[i], 70 + i)), here.localAddress());
    }
    assertEquals(5, here.receive(batch));
    int port = ((InetSocketAddress) there.getLocalAddress()).getPort();
    for (int i = 0; i < lengths.length; i++) {
      assertEquals(lengths[i], batch.length(i));
      assertEquals(batch.room(i), batch.start(i));
      assertEquals(port, batch.port(i));
      assertFalse(batch.isTruncated(i));
      assertFalse(batch.hasTraffic(i));
      assertEquals(loopback.equals("::1") ? 1 : 0xffff_7f00_0001L, batch.addressLow(i));
      assertEquals(0, batch.addressHigh(i));
      assertEquals(0, batch.localLow(i));
      if (lengths[i] > 0) {
        assertEquals(70 + i, batch.bytes().get(batch.start(i) + lengths[i] - 1));
      }
    }
    assertEquals(0, here.receive(batch));
  }

  @Test
  void oneSocketHasBothFamilies() throws IOException {
    open("127.0.0.1");
    here.close();
    here = UdpSocket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[16]), 0));
    there.send(
        ByteBuffer.wrap(filled(3, 1)),
        new InetSocketAddress(InetAddress.getLoopbackAddress(), here.localAddress().getPort()));
    assertEquals(1, here.receive(batch));
    assertEquals(0xffff_7f00_0001L, batch.addressLow(0));
    assertEquals(1, UdpSocket.sendEach(batch, 0, 1));
    assertArrayEquals(filled(3, 1), next());
  }

  @Test
  void withoutAHostItIsNotBatched() throws IOException {
    open("127.0.0.1");
    assertFalse(Natives.present());
    assertFalse(here.isBatched());
    assertFalse(here.isCutting());
    assertFalse(here.gather(true));
    assertFalse(here.errors(true));
    assertFalse(here.traffic(true));
    assertFalse(here.fragment(true));
    assertEquals(0, here.receiveErrors(batch));
    assertTrue(here.receiveBuffer(65_536) >= 65_536);
    assertTrue(here.sendBuffer(65_536) >= 65_536);
  }

  @Test
  void aLongerDatagramIsCutAndSaysSo() throws IOException {
    open("127.0.0.1");
    there.send(ByteBuffer.allocate(SIZE), here.localAddress());
    there.send(ByteBuffer.allocate(SIZE + 1), here.localAddress());
    assertEquals(2, here.receive(batch));
    assertEquals(SIZE, batch.length(0));
    assertFalse(batch.isTruncated(0));
    assertEquals(SIZE, batch.length(1));
    assertTrue(batch.isTruncated(1));
  }

  @Test
  void aRefusedDatagramDoesNotStopTheNext() throws IOException {
    open("127.0.0.1");
    for (int i = 0; i < 4; i++) {
      fill(i, 5);
    }
    batch.to(1, 0x2001_0db8_0000_0000L, 1, 9);
    batch.bytes().putInt(2 * DatagramBatch.ENTRY, -1); // a module that writes into entries
    assertEquals(4, here.send(batch, 0, 4));
    assertEquals(0, batch.error(0));
    assertEquals(NO_SUCH_FAMILY, batch.error(1));
    assertEquals(INVALID, batch.error(2));
    assertEquals(0, batch.error(3));
    assertArrayEquals(filled(5, 0), next());
    assertArrayEquals(filled(5, 3), next());
  }

  @Test
  void partsOfABatchAreSent() throws IOException {
    open("127.0.0.1");
    for (int i = 0; i < 8; i++) {
      fill(i, 5);
    }
    batch.part(6, batch.room(5) + 1, 3); // the same bytes, without the first and the last
    assertEquals(2, here.send(batch, 5, 2));
    assertArrayEquals(filled(5, 5), next());
    assertArrayEquals(filled(3, 5), next());
    assertEquals(0, here.send(batch, 0, 0));
    assertThrows(IndexOutOfBoundsException.class, () -> here.send(batch, 1, 8));
    assertThrows(IndexOutOfBoundsException.class, () -> here.send(batch, -1, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> UdpSocket.sendEach(batch, 0, -1));
  }

  @Test
  void eachEntryGoesByItsSocket() throws IOException {
    open("127.0.0.1");
    UdpSocket closed = UdpSocket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    closed.close();
    try (UdpSocket other =
        UdpSocket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      for (int i = 0; i < 3; i++) {
        fill(i, 5);
      }
      batch.via(1, closed);
      batch.via(2, other);
      assertEquals(2, UdpSocket.sendEach(batch, 0, 4));
      assertEquals(CLOSED, batch.error(1));
      assertEquals(0, batch.error(3)); // it has no socket
      ByteBuffer got = ByteBuffer.allocate(10);
      assertEquals(here.localAddress(), there.receive(got));
      assertEquals(other.localAddress(), there.receive(got));
    }
  }

  @Test
  void anOmittedEntryIsNotSent() throws IOException {
    open("127.0.0.1");
    for (int i = 0; i < 3; i++) {
      fill(i, 5);
    }
    batch.omit(1);
    assertEquals(2, UdpSocket.sendEach(batch, 0, 3));
    assertEquals(0, batch.error(1));
    assertArrayEquals(filled(5, 0), next());
    assertArrayEquals(filled(5, 2), next());
    batch.via(1, here);
    assertEquals(1, UdpSocket.sendEach(batch, 1, 1));
    assertArrayEquals(filled(5, 1), next());
    assertThrows(IndexOutOfBoundsException.class, () -> batch.omit(-1));
  }

  @Test
  void aClosedSocketSaysSo() throws IOException {
    open("127.0.0.1");
    fill(0, 5);
    here.close();
    here.close();
    assertThrows(ClosedChannelException.class, () -> here.receive(batch));
    assertThrows(ClosedChannelException.class, () -> here.send(batch, 0, 1));
  }

  @Test
  void anAddressThatCannotBeBoundIsRefused() throws IOException {
    open("127.0.0.1");
    InetSocketAddress taken = here.localAddress();
    assertThrows(BindException.class, () -> UdpSocket.bind(taken));
    InetAddress elsewhere = InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, 1});
    assertThrows(BindException.class, () -> UdpSocket.bind(new InetSocketAddress(elsewhere, 0)));
    InetSocketAddress unknown = InetSocketAddress.createUnresolved("unknown", 9);
    assertThrows(UnknownHostException.class, () -> UdpSocket.bind(unknown));
  }

  @Test
  void aPortIsShared() throws IOException {
    open("127.0.0.1");
    try (UdpSocket first =
            UdpSocket.bind(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                UdpSocket.Option.SHARED);
        UdpSocket second = UdpSocket.bind(first.localAddress(), UdpSocket.Option.SHARED)) {
      assertEquals(first.localAddress(), second.localAddress());
    }
  }
}
