// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import org.netserv.io.DatagramBatch;
import org.netserv.io.UdpSocket;
import org.netserv.mediarelay.core.Allocation;
import org.netserv.mediarelay.core.Client;
import org.netserv.mediarelay.core.Ip;
import org.netserv.mediarelay.core.Why;
import org.netserv.packet.Tally;
import org.netserv.stun.Icmp;
import org.netserv.stun.StunAddress;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunClass;
import org.netserv.stun.StunMethod;
import org.netserv.stun.StunWriter;

/** Tells clients of ICMP errors about their data (RFC 8656, 11.5). */
final class PeerErrors {
  private static final int BATCH = 16;
  private static final int SIZE = 576;
  private static final int MESSAGE_MOST = 128;
  private static final int UNREACHABLE_4 = 3;
  private static final int FRAGMENTATION_NEEDED = 4;
  private static final int TIME_EXCEEDED_4 = 11;
  private static final int UNREACHABLE_6 = 1;
  private static final int TOO_BIG_6 = 2;
  private static final int TIME_EXCEEDED_6 = 3;

  private final DatagramBatch batch = new DatagramBatch(BATCH, SIZE);
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(MESSAGE_MOST);
  private final StunWriter writer = new StunWriter();
  private final RandomGenerator random;
  private final Tally<Why> tally;

  PeerErrors(RandomGenerator random, Tally<Why> tally) {
    this.random = random;
    this.tally = tally;
  }

  /** Takes errors that nobody is told of. */
  void ignore(UdpSocket socket) throws IOException {
    socket.receiveErrors(batch);
  }

  /** Takes the errors of a relayed address, and tells its client. */
  void tell(PeerSocket socket, long now) throws IOException {
    int count = socket.socket().receiveErrors(batch);
    Allocation of = socket.owner();
    for (int i = 0; i < count; i++) {
      boolean allowed = of.isLive() && of.allows(batch.addressHigh(i), batch.addressLow(i), now);
      if (batch.isIcmp(i) && allowed && isTold(i)) {
        tell(of.client(), i);
      }
    }
  }

  private boolean isTold(int i) {
    int type = batch.icmpType(i);
    return Ip.isV4(batch.addressHigh(i), batch.addressLow(i))
        ? type == UNREACHABLE_4 || type == TIME_EXCEEDED_4
        : type >= UNREACHABLE_6 && type <= TIME_EXCEEDED_6;
  }

  private void tell(Client client, int i) {
    writer.begin(
        bytes,
        0,
        bytes.capacity(),
        StunMethod.DATA,
        StunClass.INDICATION,
        random.nextInt(),
        random.nextLong());
    StunAddress.put(
        writer,
        StunAttribute.XOR_PEER_ADDRESS,
        batch.addressHigh(i),
        batch.addressLow(i),
        batch.port(i));
    Icmp.put(writer, batch.icmpType(i), batch.icmpCode(i), isTooBig(i) ? batch.info(i) : 0);
    boolean sent = client.way().send(client, bytes, 0, writer.length());
    tally.count(sent ? Why.PEER_ERROR : Why.CLIENT_SLOW);
  }

  private boolean isTooBig(int i) {
    int type = batch.icmpType(i);
    return Ip.isV4(batch.addressHigh(i), batch.addressLow(i))
        ? type == UNREACHABLE_4 && batch.icmpCode(i) == FRAGMENTATION_NEEDED
        : type == TOO_BIG_6;
  }
}
