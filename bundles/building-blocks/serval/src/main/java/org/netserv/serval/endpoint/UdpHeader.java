// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import org.netserv.serval.SalChecksum;
import org.netserv.serval.SalPacket;

/**
 * The UDP header behind a SAL header. Its ports are 0, and its checksum has the flowIDs in the
 * place of the addresses.
 */
public final class UdpHeader {
  /** Bytes of the header. */
  public static final int LENGTH = 8;

  private UdpHeader() {}

  /**
   * Writes the header in front of a payload that is there already.
   *
   * @param bytes big-endian
   * @param at index of the header
   * @param stop index behind the payload
   */
  public static void put(ByteBuffer bytes, int at, int stop, int sourceFlow, int destinationFlow) {
    bytes.putInt(at, 0);
    bytes.putShort(at + 4, (short) (stop - at));
    bytes.putShort(at + 6, (short) 0);
    int sum = SalChecksum.ofFlow(bytes, at, stop, SalPacket.UDP, sourceFlow, destinationFlow);
    bytes.putShort(at + 6, (short) (sum == 0 ? 0xffff : sum)); // 0 stands for none
  }

  /** Returns DELIVERED for a sound header with a payload, else the refusal. */
  public static EndpointVerdict check(SalPacket packet) {
    ByteBuffer bytes = packet.buffer();
    int at = packet.transport();
    int length = packet.end() - at;
    if (length < LENGTH || (bytes.getShort(at + 4) & 0xffff) != length) {
      return EndpointVerdict.LENGTH;
    }
    if (bytes.getShort(at + 6) != 0 && sum(packet) != 0) {
      return EndpointVerdict.CHECKSUM;
    }
    return length == LENGTH ? EndpointVerdict.EMPTY : EndpointVerdict.DELIVERED;
  }

  private static int sum(SalPacket packet) {
    return SalChecksum.ofFlow(
        packet.buffer(),
        packet.transport(),
        packet.end(),
        SalPacket.UDP,
        packet.sourceFlow(),
        packet.destinationFlow());
  }
}
