// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Measures the parsing of a UDP datagram's headers, and a checksum of 298 bytes. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HeaderBenchmark {
  private static final int LENGTH = 326;

  private final ByteBuffer bytes = ByteBuffer.allocateDirect(2048).order(ByteOrder.LITTLE_ENDIAN);
  private final PacketCursor cursor = new PacketCursor(bytes);

  @Setup
  public void fill() {
    bytes.put(128, new byte[] {0x45, 0, LENGTH >> 8, (byte) LENGTH, 0, 0, 0, 0, 64, 17});
    bytes.put(128 + 20, new byte[] {0x13, (byte) 0xc4, 0x13, (byte) 0xc4, 1, 50, 0, 0});
  }

  @Benchmark
  public Malformed parse() {
    return cursor.point(0, 2048, 128, LENGTH, 1500);
  }

  @Benchmark
  public int checksum() {
    return Checksum.sum(bytes, 128 + 28, LENGTH - 28);
  }
}
