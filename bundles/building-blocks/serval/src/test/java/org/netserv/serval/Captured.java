// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** The packets of the published stack, from captured-packets.tsv. */
public final class Captured {
  private static final int HOST = 0x0a4d0000; // 10.77.0.0

  public static final int CLIENT = HOST + 1;
  public static final int SERVER = HOST + 2;
  public static final int ROUTER = HOST + 3;

  private final String capture;
  private final int frame;
  private final int source;
  private final int destination;
  private final byte[] bytes;

  private Captured(String capture, int frame, int source, int destination, byte[] bytes) {
    this.capture = capture;
    this.frame = frame;
    this.source = source;
    this.destination = destination;
    this.bytes = bytes;
  }

  public String capture() {
    return capture;
  }

  public int source() {
    return source;
  }

  public int destination() {
    return destination;
  }

  public byte[] bytes() {
    return bytes;
  }

  public static List<Captured> all() {
    try (InputStream in = Captured.class.getResourceAsStream("captured-packets.tsv")) {
      String text = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
      return text.lines().filter(line -> !line.startsWith("#")).map(Captured::of).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Captured of(String capture, int frame) {
    return all().stream()
        .filter(packet -> packet.capture.equals(capture) && packet.frame == frame)
        .findFirst()
        .orElseThrow();
  }

  private static Captured of(String line) {
    String[] columns = line.split("\t", -1);
    return new Captured(
        columns[0],
        Integer.parseInt(columns[1]),
        address(columns[2]),
        address(columns[3]),
        HexFormat.of().parseHex(columns[4]));
  }

  private static int address(String text) {
    int address = 0;
    for (String part : text.split("\\.", -1)) {
      address = address << 8 | Integer.parseInt(part);
    }
    return address;
  }

  /** Returns a view of the packet, which is sound. */
  public SalPacket packet() {
    SalPacket packet = new SalPacket();
    ServalError error = packet.reset(ByteBuffer.wrap(bytes), 0, bytes.length);
    if (error != ServalError.OK) {
      throw new IllegalStateException(this + ": " + error.text());
    }
    return packet;
  }

  /** Returns the bytes of the SAL header alone. */
  public byte[] header() {
    return Arrays.copyOf(bytes, (bytes[8] & 0xff) * 4);
  }

  @Override
  public String toString() {
    return capture + " " + frame;
  }
}
