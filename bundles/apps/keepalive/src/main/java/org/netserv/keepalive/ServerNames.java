// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.netserv.packet.Packet;
import org.netserv.sip.Ascii;
import org.netserv.sip.IpLiteral;
import org.netserv.sip.SipHost;

/** The hosts that name the server itself in a Request-URI. */
final class ServerNames {
  private final byte[][] names;
  private final IpLiteral[] addresses;

  ServerNames(ResponderSettings settings) {
    names =
        settings.names().stream()
            .map(name -> name.getBytes(StandardCharsets.US_ASCII))
            .toArray(byte[][]::new);
    addresses = settings.addresses().toArray(IpLiteral[]::new);
  }

  /**
   * Tells whether the host is the server. A host without a port is the server on any destination
   * port.
   */
  boolean include(SipHost host, ByteBuffer buffer, Packet packet) {
    if (host.port() != SipHost.PORT_ABSENT && host.port() != packet.destinationPort()) {
      return false;
    }
    IpLiteral literal = host.literal();
    if (literal.family() == 0) {
      return named(host, buffer);
    }
    if (names.length == 0 && addresses.length == 0) {
      return literal.high() == packet.destinationHigh() && literal.low() == packet.destinationLow();
    }
    for (IpLiteral address : addresses) {
      if (literal.high() == address.high() && literal.low() == address.low()) {
        return true;
      }
    }
    return false;
  }

  private boolean named(SipHost host, ByteBuffer buffer) {
    for (byte[] name : names) {
      if (Ascii.equalIgnoreCase(buffer, host.start(), host.hostEnd(), name)) {
        return true;
      }
    }
    return false;
  }
}
