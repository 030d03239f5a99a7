// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.capture;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.netserv.serval.Control;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.ExtensionType;
import org.netserv.serval.SalPacket;
import org.netserv.serval.ServalError;
import org.netserv.serval.Way;

/**
 * The frames of one connection that speaks Serval in UDP, with TCP as its transport.
 *
 * @param sound frames with a sound SAL header
 * @param others all other frames
 * @param syns SYNs of SAL
 * @param answers SYN-ACKs from the address that was asked for
 * @param hops the most hops in the list of a SYN or SYN-ACK
 * @param datagrams unconnected datagrams from the address that was asked for
 */
public record SalFrames(
    long sound, long others, long syns, long answers, long hops, long datagrams) {
  /**
   * Reads the frames.
   *
   * @param instance address in hex digits and port, as in {@link Datagram#source}
   */
  public static SalFrames read(List<byte[]> frames, String instance) {
    long sound = 0;
    long syns = 0;
    long answers = 0;
    long hops = 0;
    long datagrams = 0;
    SalPacket packet = new SalPacket();
    for (byte[] frame : frames) {
      Datagram datagram = Datagram.parse(ByteBuffer.wrap(frame)).orElse(null);
      if (datagram == null || !isSound(packet, datagram)) {
        continue;
      }
      sound++;
      int flags = Control.flags(packet);
      boolean direct = datagram.source().equals(instance);
      datagrams += direct && isUnconnected(packet) ? 1 : 0;
      if (!ControlFlags.has(flags, ControlFlags.SYN)) {
        continue;
      }
      hops = Math.max(hops, Way.get(packet).hops().size());
      if (flags == ControlFlags.SYN) {
        syns++;
      } else if (direct) {
        answers++;
      }
    }
    return new SalFrames(sound, frames.size() - sound, syns, answers, hops, datagrams);
  }

  private static boolean isUnconnected(SalPacket packet) {
    return packet.protocol() == SalPacket.UDP
        && packet.destinationFlow() == 0
        && packet.has(ExtensionType.SERVICE);
  }

  private static boolean isSound(SalPacket packet, Datagram datagram) {
    ByteBuffer bytes = ByteBuffer.wrap(datagram.payload().getBytes(StandardCharsets.ISO_8859_1));
    return packet.reset(bytes, 0, bytes.limit()) == ServalError.OK
        && (packet.protocol() == SalPacket.TCP || isUnconnected(packet));
  }
}
