// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.util.List;
import org.netserv.values.Prefix;

/**
 * The permitted targets of the node's own requests (bundles, notifications). The rules in a fetch
 * job's request have the same names.
 *
 * @param allow prefixes permitted although they are private, local or the node's own
 * @param deny prefixes refused although they are public: management networks
 * @param ports permitted TCP ports
 * @param maxBytes of a bundle
 * @param connectMillis for a connection
 * @param idleMillis without a byte
 * @param totalMillis for the whole request, redirects included
 */
public record FetchPolicy(
    List<Prefix> allow,
    List<Prefix> deny,
    List<Integer> ports,
    long maxBytes,
    int connectMillis,
    int idleMillis,
    int totalMillis) {}
