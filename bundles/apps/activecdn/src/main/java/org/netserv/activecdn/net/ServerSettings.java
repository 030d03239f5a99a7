// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.handler.ipfilter.IpSubnetFilterRule;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;

/**
 * Bounds of the connections of clients. Times are in milliseconds.
 *
 * @param head from the first byte of a head to its end
 * @param idle between two requests
 * @param stall without a byte of content, in either direction
 * @param connections at once
 * @param share of one address
 * @param balancers prefixes of balancers, whose connections begin with a header of PROXY
 */
public record ServerSettings(
    long head,
    long idle,
    long stall,
    int connections,
    int share,
    List<IpSubnetFilterRule> balancers) {
  public ServerSettings {
    balancers = List.copyOf(balancers);
  }

  /** Tells whether an address is a balancer's. */
  boolean isBalancer(SocketAddress address) {
    return address instanceof InetSocketAddress inet
        && balancers.stream().anyMatch(each -> each.matches(inet));
  }
}
