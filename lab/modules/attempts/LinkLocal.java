// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.util.Collections;

/** Connects to the node by a link-local address: {@code PORT}. */
public final class LinkLocal extends Attempt {
  private static final int MILLIS = 1000;

  /**
   * Byte in which the address of the node's end of a container's link differs from the container's.
   */
  private static final int SIDE = 13;

  @Override
  protected String attempt(String port) throws IOException {
    IOException last = new IOException("no link-local address");
    for (NetworkInterface device : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      for (InetAddress own : Collections.list(device.getInetAddresses())) {
        if (own instanceof Inet6Address && own.isLinkLocalAddress()) {
          try {
            return connect(own.getAddress(), device, Integer.parseInt(port));
          } catch (IOException e) {
            last = e;
          }
        }
      }
    }
    throw last;
  }

  private static String connect(byte[] address, NetworkInterface device, int port)
      throws IOException {
    if (address[SIDE] == 2) {
      address[SIDE] = 1;
    }
    InetAddress node = Inet6Address.getByAddress(null, address, device.getIndex());
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(node, port), MILLIS);
      return "connected to " + node.getHostAddress();
    }
  }
}
