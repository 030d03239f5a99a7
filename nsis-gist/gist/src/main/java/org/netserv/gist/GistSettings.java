// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

import java.util.List;

/**
 * The numbers of a GIST node. The defaults are the values of RFC 5971.
 *
 * @param t1 first retransmission time of Queries and Responses, ms
 * @param t2 longest retransmission time, ms; when it is reached and passed the handshake has failed
 * @param validity RS-validity-time that we propose and give, ms
 * @param hold MA-Hold-Time, ms
 * @param rate D-mode messages a second that we originate, all together; the burst is as many
 * @param rateBurst messages that may leave at once
 * @param interceptionRate Queries a second that we look at; the others go on as plain packets
 * @param statesMax entries of routing state; at the limit Queries pass us by
 * @param cookieLifetime of the responder's secret, ms; its predecessor is still accepted
 * @param secureOnly offer TLS only
 * @param sourceAddressAfter number of the retransmission from which on a Query has S=1: 0 = always,
 *     -1 = never
 * @param noRouterAlert destinations of Queries without the option: paths known to work without it;
 *     IPv4 only, IPv6 always has it (section 5.3.2.1)
 * @param strictIngress refuse Queries that came by another interface than the one that leads to the
 *     source of their flow
 * @param statelessData deliver Data without routing state to the application, flagged
 * @param prefixMin shortest prefix of an MRI that passes us, IPv4; four times that for IPv6
 * @param errorComments put a debugging comment into Errors; some implementations cannot read such
 *     Errors
 */
public record GistSettings(
    long t1,
    long t2,
    long validity,
    long hold,
    int rate,
    int rateBurst,
    int interceptionRate,
    int statesMax,
    long cookieLifetime,
    boolean secureOnly,
    int sourceAddressAfter,
    List<AddressPrefix> noRouterAlert,
    boolean strictIngress,
    boolean statelessData,
    int prefixMin,
    boolean errorComments) {
  public GistSettings {
    noRouterAlert = List.copyOf(noRouterAlert);
  }

  public static final GistSettings DEFAULT =
      new GistSettings(
          500, 32_000, 30_000, 30_000, 2000, 200, 5000, 200_000, 60_000, false, 1, List.of(), false,
          false, 0, false);
}
