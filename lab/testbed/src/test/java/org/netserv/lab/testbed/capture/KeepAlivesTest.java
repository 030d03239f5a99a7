// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeepAlivesTest {
  private static final int USER = 0x0a00000a;
  private static final int SERVER = 0xc000020a;
  private static final int STRANGER = 0xc6120001;

  @TempDir Path directory;

  private final ByteArrayOutputStream file = new ByteArrayOutputStream();
  private ByteOrder order = ByteOrder.LITTLE_ENDIAN;

  private void header() {
    ByteBuffer header = ByteBuffer.allocate(24).order(order);
    header.putInt(0xa1b2c3d4).putShort((short) 2).putShort((short) 4).putLong(0);
    file.writeBytes(header.putInt(640).putInt(PcapReader.ETHERNET).array());
  }

  private void udp(int millis, int from, int to, String payload) {
    byte[] bytes = payload.getBytes(StandardCharsets.ISO_8859_1);
    ByteBuffer frame = ByteBuffer.allocate(42 + bytes.length);
    frame.position(12).putShort((short) 0x0800).put((byte) 0x45).put((byte) 0);
    frame.putShort((short) (28 + bytes.length)).putInt(0).put((byte) 64).put((byte) 17);
    frame.putShort((short) 0).putInt(from).putInt(to);
    frame.putShort((short) (from == USER ? 4000 : 5060));
    frame.putShort((short) (to == USER ? 4000 : 5060));
    frame.putShort((short) (8 + bytes.length)).putShort((short) 0).put(bytes);
    ByteBuffer record = ByteBuffer.allocate(16).order(order);
    record.putInt(1000 + millis / 1000).putInt(millis % 1000 * 1000);
    file.writeBytes(record.putInt(frame.capacity()).putInt(frame.capacity()).array());
    file.writeBytes(frame.array());
  }

  private static String sip(String first, String call, int cseq) {
    return first + "\r\nCall-ID: " + call + "\r\nCSeq: " + cseq + " NOTIFY\r\n\r\n";
  }

  private void request(int millis, String call, int cseq) {
    udp(millis, USER, SERVER, sip("NOTIFY sip:192.0.2.10 SIP/2.0", call, cseq));
  }

  private void answer(int millis, int from, String status, String call, int cseq) {
    udp(millis, from, USER, sip("SIP/2.0 " + status, call, cseq));
  }

  private KeepAlives read() throws IOException {
    Path path = directory.resolve("test.pcap");
    Files.write(path, file.toByteArray());
    return KeepAlives.read(path);
  }

  @Test
  void matchesByCallAndSequence() throws Exception {
    for (ByteOrder each : new ByteOrder[] {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN}) {
      order = each;
      file.reset();
      header();
      request(0, "a", 1);
      request(1, "b", 1);
      answer(5, SERVER, "200 OK", "b", 1);
      request(6, "a", 2);
      request(7, "a", 2); // a retransmission: one keep-alive
      answer(16, SERVER, "200 OK", "a", 2);
      KeepAlives found = read();
      assertEquals(3, found.sent());
      assertEquals(2, found.answered());
      assertEquals(0, found.strange());
      assertEquals(4.0, found.rtt().percentile(50));
      assertEquals(10.0, found.rtt().percentile(99));
    }
  }

  @Test
  void answersThatDoNotCount() throws Exception {
    header();
    request(0, "a", 1);
    answer(1, STRANGER, "200 OK", "a", 1);
    answer(2, SERVER, "503 Busy", "a", 1);
    answer(3, SERVER, "200 OK", "a", 9);
    answer(4, SERVER, "200 OK", "a", 1);
    answer(5, SERVER, "200 OK", "a", 1);
    udp(6, SERVER, USER, "SIP/2.0 200 OK\r\n\r\n");
    KeepAlives found = read();
    assertEquals(1, found.answered());
    assertEquals(4, found.strange());
  }

  @Test
  void aFileCutAtAnyByteIsReadUpToThere() throws Exception {
    header();
    request(0, "a", 1);
    int one = file.size();
    answer(1, SERVER, "200 OK", "a", 1);
    byte[] whole = file.toByteArray();
    for (int length = 0; length <= whole.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(whole, length);
      if (length < 24) {
        assertThrows(IOException.class, () -> new PcapReader(new ByteArrayInputStream(cut)));
        continue;
      }
      PcapReader reader = new PcapReader(new ByteArrayInputStream(cut));
      int frames = 0;
      while (reader.next() != null) {
        frames++;
      }
      assertEquals(length < one ? 0 : length < whole.length ? 1 : 2, frames);
      boolean between = length == 24 || length == one || length == whole.length;
      assertEquals(!between, reader.truncated(), "at " + length);
    }
  }

  @Test
  void aKillWithinAFrameIsNoResult() throws Exception {
    header();
    request(0, "a", 1);
    file.write(1);
    assertThrows(IOException.class, this::read);
  }

  @Test
  void senselessLengthsAndMagicsAreRefused() throws Exception {
    header();
    byte[] good = file.toByteArray();
    file.writeBytes(new byte[8]);
    file.writeBytes(new byte[] {-1, -1, -1, 127, 0, 0, 0, 0});
    PcapReader reader = new PcapReader(new ByteArrayInputStream(file.toByteArray()));
    assertThrows(IOException.class, reader::next);
    good[0]++;
    assertThrows(IOException.class, () -> new PcapReader(new ByteArrayInputStream(good)));
    good[0]--;
    good[20] = 113;
    assertThrows(IOException.class, () -> new PcapReader(new ByteArrayInputStream(good)));
  }

  @Test
  void foreignBytesNeverThrow() {
    Random random = new Random(42);
    int found = 0;
    for (int i = 0; i < 100_000; i++) {
      byte[] bytes = new byte[random.nextInt(80)];
      random.nextBytes(bytes);
      if (bytes.length > 24) {
        bytes[12] = (byte) (random.nextBoolean() ? 0x08 : 0x86);
        bytes[13] = (byte) (bytes[12] == 8 ? 0 : 0xdd);
        bytes[14] = (byte) (bytes[12] == 8 ? 0x45 : 0x60);
        bytes[bytes[12] == 8 ? 23 : 20] = 17;
      }
      Optional<Datagram> datagram = Datagram.parse(ByteBuffer.wrap(bytes));
      found += datagram.isPresent() ? 1 : 0;
      datagram.ifPresent(d -> KeepAlives.key(d.payload()));
    }
    assertTrue(found > 100, found + " datagrams");
  }
}
