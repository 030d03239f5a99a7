// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.etcd;

import java.net.InetSocketAddress;
import java.util.List;
import javax.net.ssl.SSLSocketFactory;

/**
 * The servers of a store.
 *
 * @param addresses asked in turn
 * @param tls null for HTTP in the clear
 */
public record EtcdServers(List<InetSocketAddress> addresses, SSLSocketFactory tls) {
  /** Returns a client of the server that is next. */
  EtcdClient client(int turn) {
    return new EtcdClient(addresses.get(Math.floorMod(turn, addresses.size())), tls);
  }
}
