// SPDX-License-Identifier: Apache-2.0
/**
 * KeepAlive Responder: a packet module that answers SIP keep-alives at the edge.
 *
 * <pre>
 *   KeepAlive   component, properties         Responder   the way of one packet
 *   SipKeepAlive, StunBinding, Ping           what is it, and may it be answered
 *   Rota, AgentTable                          whose turn is it to reach the server
 *   SipReply, ReplyWriter                     the reply
 *   Templates, Template                       an agent's last keep-alive and its reply, for the next one
 *   Why, Tally                                reasons and their counters
 * </pre>
 */
package org.netserv.keepalive;
