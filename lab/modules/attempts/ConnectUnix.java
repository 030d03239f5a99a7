// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;

/** Connects to a socket of the node. */
public final class ConnectUnix extends Attempt {
  @Override
  protected String attempt(String path) throws IOException {
    SocketChannel.open(UnixDomainSocketAddress.of(path)).close();
    return "connected";
  }
}
