// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Measures the scan of a keep-alive of 298 bytes for every header. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ScanBenchmark {
  private static final String NOTIFY =
      String.join(
          "\r\n",
          "NOTIFY sip:198.51.100.10 SIP/2.0",
          "Via: SIP/2.0/UDP 192.0.2.64:5060;rport;branch=z9hG4bK0aaaaaaaaaaaaaaaa",
          "Max-Forwards: 70",
          "From: <sip:agent@192.0.2.64>;tag=1",
          "To: <sip:198.51.100.10>",
          "Call-ID: 1@192.0.2.64",
          "CSeq: 1 NOTIFY",
          "Event: keep-alive",
          "User-Agent: xxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
          "Content-Length: 0",
          "",
          "");

  private final SipScanner scanner = new SipScanner();
  private ByteBuffer bytes;

  @Setup
  public void fill() {
    byte[] text = NOTIFY.getBytes(StandardCharsets.US_ASCII);
    bytes = ByteBuffer.allocateDirect(text.length).put(text).flip();
  }

  @Benchmark
  public SipError scan() {
    return scanner.reset(bytes, 0, bytes.limit());
  }
}
