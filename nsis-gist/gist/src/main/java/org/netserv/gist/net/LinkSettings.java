// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.netserv.gist.port.Link;

/**
 * Settings of the connections that are made and accepted.
 *
 * @param tcp whether there may be TCP without TLS
 * @param listen whether connections are accepted; an initiator only connects
 * @param addresses to listen at; empty = all, IPv4 and IPv6
 * @param tcpPort port of TCP without TLS; 0 = one that is free
 * @param tlsPort port of TLS; 0 = one that is free
 * @param messageMax longest message that is taken, bytes with the common header
 * @param pendingMax bytes that may wait for a peer that does not read; more end the connection
 * @param acceptedMax accepted connections at a time, including connections in the TLS handshake
 * @param connectTimeout of TCP
 * @param handshakeTimeout of TLS
 */
public record LinkSettings(
    boolean tcp,
    boolean listen,
    List<InetAddress> addresses,
    int tcpPort,
    int tlsPort,
    int messageMax,
    int pendingMax,
    int acceptedMax,
    Duration connectTimeout,
    Duration handshakeTimeout) {
  public static final LinkSettings DEFAULT =
      new LinkSettings(
          true,
          true,
          List.of(),
          0,
          0,
          65_536,
          1 << 20,
          2048,
          Duration.ofSeconds(10),
          Duration.ofSeconds(10));

  public LinkSettings {
    addresses = List.copyOf(addresses);
    if (messageMax < 8 || messageMax > Link.MESSAGE_MAX) {
      throw new IllegalArgumentException("messageMax is 8 to " + Link.MESSAGE_MAX);
    }
  }

  /** Returns the default settings of an initiator that only connects, with or without plain TCP. */
  public static LinkSettings connectOnly(boolean tcp) {
    LinkSettings d = DEFAULT;
    return new LinkSettings(
        tcp,
        false,
        List.of(),
        0,
        0,
        d.messageMax,
        d.pendingMax,
        d.acceptedMax,
        d.connectTimeout,
        d.handshakeTimeout);
  }
}
