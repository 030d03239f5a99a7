// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.association.Association;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.wire.Encapsulation;
import org.netserv.gist.wire.NetworkLayerInfo;

/**
 * The way by which a message came.
 *
 * @param datagram null in C-mode
 * @param association null otherwise
 * @param first on an association that is not established
 * @param message without magic number
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
record Arrival(InboundDatagram datagram, Association association, boolean first, byte[] message) {
  boolean byAssociation() {
    return association != null;
  }

  Encapsulation encapsulation() {
    int flags = message.length > 6 ? message[6] : 0;
    return byAssociation() ? Encapsulation.C_MODE : Encapsulation.ofDatagram(flags < 0);
  }

  int ttl() {
    return datagram == null ? 0 : datagram.ttl();
  }

  int interfaceIndex() {
    return datagram == null ? 0 : datagram.interfaceIndex();
  }

  TransferAttributes attributes() {
    if (!byAssociation()) {
      return TransferAttributes.UNRELIABLE;
    }
    return association.secure() ? TransferAttributes.SECURE : TransferAttributes.RELIABLE;
  }

  String peerName() {
    return byAssociation() ? association.peerName() : "";
  }

  /**
   * Returns whether an address was translated on the way. The sender says that its address is the
   * IP source.
   */
  boolean translated(NetworkLayerInfo sender) {
    InetAddress source = datagram == null ? null : datagram.source();
    return source != null && !source.equals(sender.address());
  }

  /** Returns the IP hops that the message came, by the TTL that the sender set; 0 = not known. */
  int distance(NetworkLayerInfo sender) {
    int hops = sender.ipTtl() - ttl();
    return datagram == null || ttl() == 0 || sender.ipTtl() == 0 || hops < 0 ? 0 : hops;
  }
}
