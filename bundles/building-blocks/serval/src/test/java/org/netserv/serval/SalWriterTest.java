// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.netserv.values.AllocatedBytes;

class SalWriterTest {
  private static final ServiceId ID = new ServiceId(1, 2, 3, 4);

  private final ByteBuffer out = ByteBuffer.allocate(1200);
  private final SalWriter writer = new SalWriter();
  private final SalPacket packet = new SalPacket();

  private void begin() {
    writer.begin(out, 0, out.limit(), 7, 9, SalPacket.UDP);
  }

  private void read() {
    assertTrue(writer.finish().fits());
    assertEquals(ServalError.OK, packet.reset(out, 0, writer.end()));
    assertEquals(7, packet.sourceFlow());
    assertEquals(9, packet.destinationFlow());
    assertEquals(SalPacket.UDP, packet.protocol());
  }

  /** Random values in a random choice of extensions are read as they were written. */
  @Test
  void whatIsWrittenIsRead() {
    Random random = new Random(256);
    for (int round = 0; round < 5_000; round++) {
      begin();
      ControlMessage message =
          new ControlMessage(
              7,
              9,
              random.nextInt(256),
              random.nextInt(256),
              random.nextInt(),
              random.nextInt(),
              random.nextLong());
      ServiceId id =
          new ServiceId(random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong());
      int[] addresses = random.ints(1 + random.nextInt(18)).toArray();
      int[] way = random.ints(2 + random.nextInt(10)).toArray();
      List<Endpoint> hops = new ArrayList<>();
      for (int i = random.nextInt(12); i >= 0; i--) {
        hops.add(new Endpoint(random.nextLong(), random.nextLong(), random.nextInt(65536)));
      }
      List<Long> tickets = random.longs(random.nextInt(12)).boxed().toList();
      int abilities = random.nextInt();
      byte[] free = new byte[random.nextInt(200)];
      random.nextBytes(free);
      Control.put(writer, message);
      Service.put(writer, id);
      AddressList.put(writer, 5, 6, addresses);
      SourceList.put(writer, way);
      HopList.put(writer, hops);
      TicketList.put(writer, tickets);
      Capability.put(writer, abilities);
      assertTrue(Extensions.put(writer, 8 + random.nextInt(8), free));
      read();
      assertEquals(message, Control.get(packet));
      assertEquals(id, Service.get(packet));
      assertEquals(addresses.length, AddressList.count(packet));
      for (int i = 0; i < addresses.length; i++) {
        assertEquals(addresses[i], AddressList.address(packet, i));
      }
      for (int i = 0; i < way.length; i++) {
        assertEquals(way[i], SourceList.address(packet, i));
      }
      for (int i = 0; i < hops.size(); i++) {
        assertEquals(hops.get(i), HopList.hop(packet, i));
      }
      assertEquals(tickets, TicketList.get(packet));
      assertEquals(abilities, Capability.get(packet));
      int last = packet.after(packet.find(ExtensionType.CAPABILITY));
      assertArrayEquals(free, Extensions.value(packet, last));
    }
  }

  /** A writer with too little room writes no byte behind it, and says so. */
  @Test
  void everyRoomThatIsTooSmall() {
    for (int room = 0; room < 12 + 20 + 36 + 8; room++) {
      ByteBuffer small = ByteBuffer.allocate(200);
      writer.begin(small, 0, room, 1, 2, SalPacket.TCP);
      Control.put(writer, new ControlMessage(1, 2, -1, -1, -1, -1, -1));
      Service.put(writer, ID);
      Capability.put(writer, -1);
      assertFalse(writer.finish().fits(), "room " + room);
      for (int i = room; i < 200; i++) {
        assertEquals(0, small.get(i));
      }
    }
  }

  @Test
  void aHeaderHasAtMost255WordsAndTenExtensions() {
    begin();
    for (int i = 0; i < 4; i++) {
      assertTrue(Extensions.put(writer, 8, new byte[250]));
    }
    read(); // 12 + 4 * 252 = 255 words
    begin();
    for (int i = 0; i < 5; i++) {
      Extensions.put(writer, 8, new byte[250]);
    }
    assertFalse(writer.finish().fits());
    begin();
    for (int i = 0; i < 11; i++) {
      Extensions.put(writer, 8, new byte[1]);
    }
    assertFalse(writer.finish().fits());
  }

  @Test
  void numbersAndLengthsThatAreNotFree() {
    begin();
    assertFalse(Extensions.put(writer, 4, new byte[2]));
    assertFalse(Extensions.put(writer, 16, new byte[2]));
    assertFalse(Extensions.put(writer, 9, new byte[254]));
    assertTrue(Extensions.put(writer, 9, new byte[253]));
    read();
  }

  @Test
  void aFullSourceTakesNoMore() {
    begin();
    SourceList.put(writer, new int[SourceList.MOST]);
    read();
    assertFalse(SourceList.putAppended(new SalWriter(), packet, 1, 2));
  }

  @Test
  void nothingIsAllocated() {
    begin();
    Control.put(writer, new ControlMessage(7, 9, 0x80, 0, 1, 0, 5));
    Service.put(writer, ID);
    SourceList.put(writer, 1, 2);
    read();
    ByteBuffer other = ByteBuffer.allocateDirect(400);
    int end = writer.end();
    Consumer<Integer> round =
        i -> {
          packet.reset(out, 0, end);
          writer.begin(other, 0, 400, packet.sourceFlow(), 0, packet.protocol());
          Extensions.copy(writer, packet, packet.first());
          SourceList.putAppended(writer, packet, i, i);
          writer.finish();
        };
    Runnable work =
        () -> {
          for (int i = 0; i < 20_000; i++) {
            round.accept(5);
          }
        };
    work.run();
    assertEquals(0, AllocatedBytes.least(work));
    assertTrue(writer.fits());
  }
}
