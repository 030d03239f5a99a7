// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

/**
 * A question of a module to the kernel, each address with its port: {@code 192.0.2.10:9000}.
 *
 * @param client an address of the user
 * @param server to which the client sends
 * @param relayed from which the peer is reached
 */
record RelayAsk(String client, String server, String relayed, String peer) {
  /** A channel that the publisher may have, by the topology's lists. */
  static final RelayAsk OWN =
      new RelayAsk("10.1.0.10:4000", "10.1.0.1:7000", "192.0.2.1:7001", "192.0.2.10:9000");

  RelayAsk server(String other) {
    return new RelayAsk(client, other, relayed, peer);
  }

  RelayAsk relayed(String other) {
    return new RelayAsk(client, server, other, peer);
  }

  RelayAsk peer(String other) {
    return new RelayAsk(client, server, relayed, other);
  }

  /** Returns the argument of the attempt. */
  String inWords() {
    return String.join(" ", client, server, relayed, peer);
  }
}
