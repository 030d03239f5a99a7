// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.netserv.serval.Endpoint;

/** Turns socket addresses of the JDK into endpoints, and back. */
public final class Addresses {
  private Addresses() {}

  /** Returns the endpoint of a resolved address. */
  public static Endpoint endpoint(InetSocketAddress address) {
    byte[] bytes = address.getAddress().getAddress();
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return bytes.length == 4
        ? Endpoint.ofIpv4(buffer.getInt(0), address.getPort())
        : new Endpoint(buffer.getLong(0), buffer.getLong(8), address.getPort());
  }

  /** Returns the socket address of an endpoint. */
  public static InetSocketAddress socketAddress(Endpoint endpoint) {
    ByteBuffer buffer =
        endpoint.isIpv4()
            ? ByteBuffer.allocate(4).putInt(endpoint.ipv4())
            : ByteBuffer.allocate(16).putLong(endpoint.high()).putLong(endpoint.low());
    try {
      return new InetSocketAddress(InetAddress.getByAddress(buffer.array()), endpoint.port());
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has 4 or 16 bytes", e);
    }
  }
}
