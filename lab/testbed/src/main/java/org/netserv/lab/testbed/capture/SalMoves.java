// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.capture;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.netserv.serval.Control;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.SalPacket;
import org.netserv.serval.ServalError;

/** The exchanges of moves in a capture of one flow of Serval at the host that moves. */
public final class SalMoves {
  /** A filter of tcpdump: the flags of a CONTROL extension have RSYN, or a port looks like it. */
  public static final String FILTER =
      "udp port 54325 and udp[20] & 0xf0 = 0x10 and udp[22] & 0x40 != 0";

  private SalMoves() {}

  /**
   * Returns the time from each RSYN to its answer in nanoseconds. Copies of a RSYN count from the
   * first one on. A RSYN without an answer has no time.
   */
  public static List<Long> exchanges(List<PcapReader.Frame> frames) {
    List<Long> times = new ArrayList<>();
    long asked = -1;
    for (PcapReader.Frame frame : frames) {
      int flags = flags(frame.bytes());
      if (!ControlFlags.has(flags, ControlFlags.RSYN)) {
        continue;
      }
      if (!ControlFlags.has(flags, ControlFlags.ACK)) {
        asked = asked < 0 ? frame.nanos() : asked;
      } else if (asked >= 0) {
        times.add(frame.nanos() - asked);
        asked = -1;
      }
    }
    return times;
  }

  /** Returns the flags of a frame's CONTROL extension; 0 without one. */
  private static int flags(ByteBuffer frame) {
    Datagram datagram = Datagram.parse(frame).orElse(null);
    if (datagram == null) {
      return 0;
    }
    ByteBuffer bytes = ByteBuffer.wrap(datagram.payload().getBytes(StandardCharsets.ISO_8859_1));
    SalPacket packet = new SalPacket();
    return packet.reset(bytes, 0, bytes.limit()) == ServalError.OK ? Control.flags(packet) : 0;
  }
}
