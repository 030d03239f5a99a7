// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.nio.ByteBuffer;

/**
 * A client's 5-tuple, and the way back to the client. Addresses have 128 bits, IPv4 addresses as
 * ::ffff:a.b.c.d. A stream or DTLS session has one object for its whole life. A UDP client has one
 * object for each allocation, and another one for each request before that.
 *
 * <p><b>Threads.</b> Whoever holds the relay's lock.
 */
public final class Client {
  private final Transport transport;
  private final long high;
  private final long low;
  private final int port;
  private final int serverPort;
  private final Way way;
  private Allocation allocation;

  /**
   * @param high upper half of the client's address
   * @param low lower half of the client's address
   * @param port the client's port, 0 to 65535
   * @param serverPort the relay's port that the client has addressed, 1 to 65535
   */
  public Client(Transport transport, long high, long low, int port, int serverPort, Way way) {
    this.transport = transport;
    this.high = high;
    this.low = low;
    this.port = port;
    this.serverPort = serverPort;
    this.way = way;
  }

  public Transport transport() {
    return transport;
  }

  public long high() {
    return high;
  }

  public long low() {
    return low;
  }

  public int port() {
    return port;
  }

  public int serverPort() {
    return serverPort;
  }

  public Way way() {
    return way;
  }

  /** Returns this client's allocation, null = it has none. */
  public Allocation allocation() {
    return allocation;
  }

  void allocation(Allocation of) {
    allocation = of;
  }

  /** Sends messages to clients of one transport. */
  public interface Way {
    /**
     * Sends one STUN or ChannelData message. A stream's way adds the padding of ChannelData. The
     * bytes belong to the caller again when this returns.
     *
     * @param bytes memory of the message, addressed by absolute index
     * @param start index of the first byte
     * @param length bytes of the message, without padding
     * @return false if it was dropped, because the client reads too slowly or is gone
     */
    boolean send(Client to, ByteBuffer bytes, int start, int length);

    /** Ends the client's connection after what was sent. Does nothing for UDP. */
    void close(Client client);
  }
}
