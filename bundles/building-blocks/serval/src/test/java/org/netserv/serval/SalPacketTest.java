// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.serval.Packets.ADDRESS;
import static org.netserv.serval.Packets.CAPABILITY;
import static org.netserv.serval.Packets.CONTROL;
import static org.netserv.serval.Packets.FREE;
import static org.netserv.serval.Packets.HOPS;
import static org.netserv.serval.Packets.SERVICE;
import static org.netserv.serval.Packets.SOURCE;
import static org.netserv.serval.Packets.TICKETS;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SalPacketTest {
  private static final List<String> KINDS =
      List.of(CONTROL, SERVICE, ADDRESS, SOURCE, CAPABILITY, HOPS, TICKETS, FREE);
  private static final byte[] WHOLE = Packets.of(KINDS.toArray(String[]::new));

  private final SalPacket packet = new SalPacket();

  private ServalError read(byte[] bytes) {
    return Packets.read(packet, bytes);
  }

  @Test
  void everyExtensionIsFound() {
    assertEquals(ServalError.OK, read(WHOLE));
    for (ExtensionType type : ExtensionType.values()) {
      assertTrue(packet.has(type), type.name());
      assertEquals(-1, packet.next(packet.find(type)), type.name());
    }
    assertEquals(1, AddressList.count(packet));
    assertEquals(1, AddressList.verno(packet));
    assertEquals(2, AddressList.ackno(packet));
    assertEquals(0x0a000001, AddressList.address(packet, 0));
    assertTrue(SourceList.has(packet, 0x0a000002));
    assertFalse(SourceList.has(packet, 0x0a000003));
    assertEquals(7, Capability.get(packet));
    assertEquals(Endpoint.ofIpv4(0x0a000001, 0x16), HopList.hop(packet, 0));
    assertEquals(List.of(7L), TicketList.get(packet));
  }

  @Test
  void aPacketCutAtEveryLengthIsRefused() {
    for (Captured captured : Captured.all()) {
      byte[] bytes = captured.bytes();
      int header = captured.header().length;
      for (int cut = 0; cut < header; cut++) {
        ServalError error = read(Arrays.copyOf(bytes, cut));
        ServalError due = cut < 12 ? ServalError.SHORT : ServalError.HEADER_CUT;
        assertEquals(due, error, captured + " cut at " + cut);
      }
      for (int cut = header; cut <= bytes.length; cut++) {
        assertEquals(ServalError.OK, read(Arrays.copyOf(bytes, cut)));
      }
    }
  }

  /** The header's length and checksum go along with the cut, so that an extension is cut. */
  @Test
  void extensionsCutAtEveryWordAreRefused() {
    int whole = 0;
    for (int words = 3; words <= (WHOLE[8] & 0xff); words++) {
      ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(WHOLE, words * 4));
      cut.put(8, (byte) words);
      Packets.seal(cut);
      ServalError error = read(cut.array());
      whole += error == ServalError.OK ? 1 : 0;
      assertTrue(error == ServalError.OK || error == ServalError.EXTENSION_CUT, error.text());
    }
    assertEquals(KINDS.size() + 1, whole); // the base header, and the end of each extension
  }

  /** Every length that an extension can claim, in a header that has room for it or has not. */
  @Test
  void everyLengthOfEveryExtension() {
    for (String kind : KINDS) {
      byte[] extension = HexFormat.of().parseHex(kind);
      int number = (extension[0] & 0xff) >>> 4;
      ExtensionType type = ExtensionType.of(number);
      for (int length = 0; length < 256; length++) {
        byte[] value = Arrays.copyOf(extension, 256);
        value[1] = (byte) length;
        Arrays.fill(value, Math.max(2, length), 256, (byte) 0); // PADs
        ServalError error = read(Packets.sealed(67, value, ""));
        boolean may = length >= 2 && (type == null || type.mayHave(length));
        assertEquals(
            may ? ServalError.OK : ServalError.EXTENSION_LENGTH, error, kind + " of " + length);
        if (length > 20) {
          ServalError cut = read(Packets.sealed(8, Arrays.copyOf(value, 20), ""));
          assertEquals(ServalError.EXTENSION_CUT, cut, kind + " of " + length);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "CONTROL_REPEATED, CONTROL",
    "SERVICE_REPEATED, SERVICE",
    "ADDRESS_REPEATED, ADDRESS",
    "SOURCE_REPEATED, SOURCE",
    "CAPABILITY_REPEATED, CAPABILITY",
    "HOPS_REPEATED, HOPS",
    "TICKETS_REPEATED, TICKETS"
  })
  void everyExtensionRepeated(ServalError refusal, ExtensionType type) {
    String one = KINDS.get(type.number() - 1);
    assertEquals(ServalError.OK, read(Packets.of(one)));
    assertEquals(
        type == ExtensionType.SERVICE ? ServalError.OK : refusal, read(Packets.of(one, one)));
    assertEquals(refusal, read(Packets.of(one, one, one)));
  }

  @Test
  void freeExtensionsMayRepeat() {
    assertEquals(ServalError.OK, read(Packets.of(CONTROL, FREE, FREE)));
    int first = packet.after(packet.first());
    assertEquals(9, packet.number(first));
    assertEquals(9, packet.number(packet.next(first)));
    assertArrayEquals(HexFormat.of().parseHex("aabbcc"), Extensions.value(packet, first));
  }

  @Test
  void moreThanTenAreRefused() {
    String[] ten = new String[10];
    Arrays.fill(ten, FREE);
    assertEquals(ServalError.OK, read(Packets.of(ten)));
    String[] eleven = Arrays.copyOf(ten, 11);
    eleven[10] = FREE;
    assertEquals(ServalError.EXTENSION_COUNT, read(Packets.of(eleven)));
  }

  @Test
  void onlyTheFirstPlaceIsControls() {
    for (String kind : List.of(SERVICE, ADDRESS, SOURCE, CAPABILITY, HOPS, TICKETS, FREE)) {
      assertEquals(ServalError.CONTROL_PLACE, read(Packets.of(kind, CONTROL)));
    }
    assertEquals(ServalError.OK, read(Packets.of("00000000", CONTROL))); // PADs are no extension
  }

  /** All other orders are the same to a reader. */
  @Test
  void everyOtherOrderIsTaken() {
    List<String> others = new ArrayList<>(KINDS.subList(1, KINDS.size()));
    Random random = new Random(144);
    for (int round = 0; round < 500; round++) {
      Collections.shuffle(others, random);
      String rest = String.join("", others);
      assertEquals(ServalError.OK, read(Packets.of(CONTROL, rest)));
      assertEquals(7, Capability.get(packet));
      assertEquals(2, SourceList.count(packet));
    }
  }

  @Test
  void headersThatAreNone() {
    assertEquals(ServalError.RANGE, packet.reset(ByteBuffer.allocate(20), 0, 21));
    assertEquals(ServalError.RANGE, packet.reset(ByteBuffer.allocate(20), -1, 20));
    assertEquals(ServalError.RANGE, packet.reset(ByteBuffer.allocate(20), 5, 4));
    for (int words = 0; words < 256; words++) {
      byte[] bytes = WHOLE.clone();
      bytes[8] = (byte) words;
      ServalError error = read(bytes);
      if (words < 3) {
        assertEquals(ServalError.HEADER_LENGTH, error);
      } else if (words * 4 > bytes.length) {
        assertEquals(ServalError.HEADER_CUT, error);
      } else if (words != (WHOLE[8] & 0xff)) {
        assertEquals(ServalError.CHECKSUM, error, words + " words");
      }
    }
  }

  @Test
  void everyBitOfTheHeaderIsInTheChecksum() {
    byte[] good = Packets.of(CONTROL, SERVICE);
    for (int bit = 0; bit < (good.length - 8) * 8; bit++) {
      if (bit / 8 == 8) {
        continue; // the length
      }
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << bit % 8);
      assertEquals(ServalError.CHECKSUM, read(bad), "bit " + bit);
    }
  }

  @Test
  void absentExtensionsReadAsNothing() {
    assertEquals(ServalError.OK, read(Packets.of()));
    assertNull(Control.get(packet));
    assertEquals(0, Control.flags(packet));
    assertNull(Service.get(packet));
    assertNull(Service.getSource(packet));
    assertEquals(0, AddressList.count(packet) + SourceList.count(packet) + HopList.count(packet));
    assertEquals(0, Capability.get(packet));
  }

  /** Reads everything that a sound packet holds. */
  private int readAll() {
    int found = 0;
    for (int at = packet.first(); at < packet.transport(); at = packet.after(at)) {
      assertTrue(at + packet.length(at) <= packet.transport());
      Extensions.value(packet, at);
      found++;
    }
    Control.get(packet);
    Service.get(packet);
    Service.getSource(packet);
    Capability.get(packet);
    for (int i = 0; i < AddressList.count(packet); i++) {
      AddressList.address(packet, i);
    }
    SourceList.has(packet, 0);
    for (int i = 0; i < HopList.count(packet); i++) {
      HopList.hop(packet, i);
    }
    return found;
  }

  /** Whatever the bytes are: no exception, and what is OK can be read, and written again. */
  @Test
  void mutants() {
    Random random = new Random(12);
    List<Captured> captured = Captured.all();
    ByteBuffer out = ByteBuffer.allocate(1024);
    SalPacket again = new SalPacket();
    Set<ServalError> seen = EnumSet.noneOf(ServalError.class);
    int extensions = 0;
    for (int round = 0; round < 200_000; round++) {
      byte[] origin =
          round % 2 == 0 ? WHOLE : captured.get(random.nextInt(captured.size())).bytes();
      ByteBuffer bytes = ByteBuffer.wrap(origin.clone());
      for (int i = random.nextInt(4); i >= 0; i--) {
        int place = random.nextBoolean() ? random.nextInt(origin.length) : 8 + random.nextInt(8);
        bytes.put(place, (byte) (random.nextBoolean() ? random.nextInt(64) : random.nextInt(256)));
      }
      if (random.nextInt(8) > 0) {
        Packets.seal(bytes);
      }
      ServalError error = read(bytes.array());
      seen.add(error);
      if (error != ServalError.OK) {
        continue;
      }
      extensions += readAll();
      SalWriter writer = new SalWriter();
      writer.begin(out, 0, 1024, packet.sourceFlow(), packet.destinationFlow(), packet.protocol());
      Extensions.copyAll(writer, packet);
      assertTrue(writer.finish().fits());
      assertEquals(ServalError.OK, again.reset(out, 0, writer.end()));
      sameExtensions(again);
    }
    assertTrue(extensions > 50_000, "only " + extensions + " were read");
    assertTrue(seen.size() >= 9, seen.toString());
  }

  private void sameExtensions(SalPacket again) {
    int at = packet.first();
    int other = again.first();
    while (at < packet.transport()) {
      assertEquals(packet.number(at), again.number(other));
      assertArrayEquals(Extensions.value(packet, at), Extensions.value(again, other));
      at = packet.after(at);
      other = again.after(other);
    }
    assertEquals(again.transport(), other);
  }

  @Test
  void nonsense() {
    Random random = new Random(9347);
    byte[] bytes = new byte[120];
    int sound = 0;
    for (int round = 0; round < 200_000; round++) {
      random.nextBytes(bytes);
      int length = random.nextInt(bytes.length);
      bytes[8] = (byte) random.nextInt(Math.max(4, length / 4));
      byte[] cut = Arrays.copyOf(bytes, length);
      if (length >= 12) {
        Packets.seal(ByteBuffer.wrap(cut));
      }
      ServalError error = read(cut);
      assertNotEquals(ServalError.RANGE, error);
      sound += error == ServalError.OK ? readAll() + 1 : 0;
    }
    assertTrue(sound > 1000, "only " + sound);
  }
}
