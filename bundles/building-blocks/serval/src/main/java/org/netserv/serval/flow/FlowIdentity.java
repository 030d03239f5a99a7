// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

/**
 * The numbers of one end of a flow, which the caller draws at random.
 *
 * @param flowId unlike those of all other flows of the host, never 0
 * @param nonce cannot be guessed
 * @param verno of the first message
 * @param abilities {@link org.netserv.serval.Ability}, 0 to be as the published stack
 */
public record FlowIdentity(int flowId, long nonce, int verno, int abilities) {}
