// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.serval.table.Forwarding;

/** The packets of the published stack: read, and written again from the values alone. */
class CapturesTest {
  private static final ByteBuffer OUT = ByteBuffer.allocate(1024);

  private static byte[] written(SalWriter writer) {
    assertTrue(writer.finish().fits());
    return Arrays.copyOfRange(OUT.array(), writer.start(), writer.end());
  }

  private static SalWriter begin(SalPacket packet) {
    return new SalWriter()
        .begin(OUT, 0, 1024, packet.sourceFlow(), packet.destinationFlow(), packet.protocol());
  }

  /** Writes each extension by its own put, from the values that its get returned. */
  private static byte[] again(SalPacket packet) {
    SalWriter writer = begin(packet);
    ControlMessage message = Control.get(packet);
    if (message != null) {
      Control.put(writer, message);
    }
    if (Service.get(packet) != null) {
      Service.put(writer, Service.get(packet));
    }
    if (Service.getSource(packet) != null) {
      Service.put(writer, Service.getSource(packet));
    }
    int[] way = new int[SourceList.count(packet)];
    Arrays.setAll(way, i -> SourceList.address(packet, i));
    if (way.length > 0) {
      SourceList.put(writer, way);
    }
    return written(writer);
  }

  private static Endpoint endpoint(int address) {
    return Endpoint.ofIpv4(address, 0);
  }

  @Test
  void everyFrameIsReadAndWrittenAgain() {
    List<Captured> all = Captured.all();
    assertEquals(39 + 12 + 52, all.size());
    for (Captured captured : all) {
      assertArrayEquals(captured.header(), again(captured.packet()), captured.toString());
    }
  }

  @Test
  void extensionsCopiedAsBytesAreTheSameToo() {
    for (Captured captured : Captured.all()) {
      SalPacket packet = captured.packet();
      SalWriter writer = begin(packet);
      Extensions.copyAll(writer, packet);
      assertArrayEquals(captured.header(), written(writer), captured.toString());
    }
  }

  /** The router made frame 2 of frame 1, and the server answered it with frame 3. */
  @Test
  void sourceGrowsOnItsWay() {
    SalPacket syn = Captured.of("forward", 1).packet();
    SalWriter writer = begin(syn);
    assertTrue(Forwarding.write(writer, syn, endpoint(Captured.CLIENT), endpoint(Captured.ROUTER)));
    Captured forwarded = Captured.of("forward", 2);
    assertArrayEquals(
        forwarded.header(), Arrays.copyOfRange(OUT.array(), writer.start(), writer.end()));

    Captured answer = Captured.of("forward", 3);
    writer = begin(answer.packet());
    Control.put(writer, Control.get(answer.packet()));
    SourceList.putAppended(writer, forwarded.packet(), Captured.CLIENT, Captured.SERVER);
    assertArrayEquals(answer.header(), written(writer));
  }

  @Test
  void theValuesOfASyn() {
    Captured captured = Captured.of("direct", 1);
    SalPacket packet = captured.packet();
    assertEquals(SalPacket.TCP, packet.protocol());
    ControlMessage syn =
        new ControlMessage(2, 0, ControlFlags.SYN, 0, 0xbd309908, 0, 0x267be5c15f45d6afL);
    assertEquals(syn, Control.get(packet));
    assertEquals(ServiceId.parse("00004001"), Service.get(packet));
    assertNull(Service.getSource(packet));
    assertEquals(17 * 4, packet.transport());
    assertEquals(28, packet.end() - packet.transport());
  }

  /** A RST for an unknown datagram has nonce 0, because the datagram has none. */
  @Test
  void theValuesOfARst() {
    ControlMessage rst = Control.get(Captured.of("register", 2).packet());
    int flags = ControlFlags.RST | ControlFlags.ACK;
    assertEquals(new ControlMessage(0, 2, flags, 0, 0, 0, 0), rst);
  }

  @Test
  void transportChecksumsOfTheSyns() {
    for (String[] each : new String[][] {{"forward", "1"}, {"direct", "1"}}) {
      Captured captured = Captured.of(each[0], Integer.parseInt(each[1]));
      SalPacket packet = captured.packet();
      int sum =
          SalChecksum.ofTransport(
              packet.buffer(),
              packet.transport(),
              packet.end(),
              packet.protocol(),
              captured.source(),
              captured.destination());
      assertEquals(0, sum, captured.toString());
    }
  }

  @Test
  void registrations() {
    int found = 0;
    for (Captured captured : Captured.all()) {
      SalPacket packet = captured.packet();
      int start = packet.transport() + 8;
      Registration registration = Registration.get(packet.buffer(), start, packet.end());
      if (!captured.capture().equals("register") || registration == null) {
        continue;
      }
      found++;
      ByteBuffer out = ByteBuffer.allocate(Registration.LENGTH);
      registration.put(out, 0);
      byte[] bytes = Arrays.copyOfRange(captured.bytes(), start, start + Registration.LENGTH);
      assertArrayEquals(bytes, out.array(), captured.toString());
    }
    assertEquals(7, found);
    SalPacket again = Captured.of("register", 51).packet();
    Registration moved = Registration.get(again.buffer(), again.transport() + 8, again.end());
    assertTrue(moved.again());
    assertEquals(0x0a4e0002, moved.oldAddress());
    assertEquals(4, moved.transaction());
    assertNull(Registration.get(again.buffer(), again.transport() + 8, again.end() - 1));
    assertNull(Registration.get(again.buffer(), again.transport() + 9, again.end() + 1));
  }
}
