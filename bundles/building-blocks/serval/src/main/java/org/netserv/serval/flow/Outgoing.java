// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import java.nio.ByteBuffer;
import org.netserv.serval.Capability;
import org.netserv.serval.Control;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalWriter;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.Way;

/**
 * A control message on its way out.
 *
 * @param message the message with its flowIDs
 * @param from the address of this end
 * @param to the address of the peer; null in a SYN, for which the service table chooses one each
 *     time
 * @param service the target of SYN and handshake ACK, else null
 * @param capability the abilities of the client in a handshake ACK, else 0
 * @param way of the SYN with this host at its end, in a SYN-ACK; asking in some SYNs; else straight
 */
public record Outgoing(
    ControlMessage message,
    Endpoint from,
    Endpoint to,
    ServiceId service,
    int capability,
    Way way) {

  /** Returns a message with CONTROL alone. */
  public static Outgoing reply(ControlMessage message, Endpoint from, Endpoint to) {
    return new Outgoing(message, from, to, null, 0, Way.STRAIGHT);
  }

  /** Returns a SYN that asks for its answer by the routers. */
  public Outgoing asking() {
    return new Outgoing(message, from, to, service, capability, Way.ASKING);
  }

  /** Begins a header in {@code [first, stop)} with the extensions of this message. */
  public SalWriter write(SalWriter writer, ByteBuffer bytes, int first, int stop, int protocol) {
    writer.begin(bytes, first, stop, message.sourceFlow(), message.destinationFlow(), protocol);
    Control.put(writer, message);
    if (service != null) {
      Service.put(writer, service);
    }
    if (capability != 0) {
      Capability.put(writer, capability);
    }
    way.put(writer);
    return writer;
  }
}
