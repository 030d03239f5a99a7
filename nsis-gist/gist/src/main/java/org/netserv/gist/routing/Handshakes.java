// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.random.RandomGenerator;
import org.netserv.gist.GistSettings;
import org.netserv.gist.association.Associations;

/**
 * The common part of all handshakes of a node, on either side.
 *
 * @param settings times of retransmission, and policy
 * @param associations proposed, reused and opened by handshakes
 * @param cookies that prove a handshake
 * @param departed Confirms that must not count again
 * @param queries sent, and waiting for a Response
 * @param random spreads refreshes
 */
record Handshakes(
    GistSettings settings,
    Associations associations,
    Cookies cookies,
    Departed departed,
    QuerySender queries,
    RandomGenerator random) {}
