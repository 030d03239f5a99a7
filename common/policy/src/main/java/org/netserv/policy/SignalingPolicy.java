// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.util.List;
import org.netserv.values.Prefix;

/**
 * On-path signaling: the section {@code signaling} of {@code node.yaml}, defaults filled in. {@code
 * node.schema.json} describes each key.
 *
 * @param enabled false: every Query passes by
 * @param interfaces by which peers are welcome; empty = all
 * @param port TCP port for connections without TLS; 0 = one that is free
 * @param tlsPort TCP port for TLS; 0 = one that is free
 * @param security {@code any} or {@code tls}
 * @param peers permitted at the other end of TLS, in order, first match
 * @param hopPerMinute requests a minute by one source
 * @param publisherPerMinute verified requests a minute of one publisher beyond the limits of its
 *     source
 * @param noRouterAlert destinations, IPv4, of Queries without the router alert option
 * @param validity of routing state, seconds
 * @param stateSeconds how long routing state is kept up after the last request
 * @param lastNode act as the end of every path
 * @param budgetMax longest time that is spent on a request, milliseconds
 * @param messagesPerSecond D-mode messages that the node originates
 * @param queriesPerSecond Queries that are looked at
 * @param states entries of routing state
 * @param errorComments whether Errors of GIST carry a comment for people
 */
public record SignalingPolicy(
    boolean enabled,
    List<String> interfaces,
    int port,
    int tlsPort,
    String security,
    List<String> peers,
    int hopPerMinute,
    int publisherPerMinute,
    List<Prefix> noRouterAlert,
    int validity,
    int stateSeconds,
    boolean lastNode,
    int budgetMax,
    int messagesPerSecond,
    int queriesPerSecond,
    int states,
    boolean errorComments) {

  public SignalingPolicy {
    interfaces = List.copyOf(interfaces);
    peers = List.copyOf(peers);
    noRouterAlert = List.copyOf(noRouterAlert);
  }

  /** Tells whether everything between nodes goes by TLS. */
  public boolean secureOnly() {
    return security.equals("tls");
  }
}
