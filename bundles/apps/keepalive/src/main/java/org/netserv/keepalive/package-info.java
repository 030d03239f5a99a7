// SPDX-License-Identifier: Apache-2.0
/**
 * KeepAlive Responder: a packet module that answers SIP keep-alives at the edge.
 *
 * <pre>
 *   KeepAlive   component, properties         Responder   the way of one packet
 *   SipKeepAlive, StunBinding, Ping           classify a packet, and decide if it may be answered
 *   Rota, AgentTable                          select the keep-alives that go to the server
 *   SipReply, ReplyWriter                     the reply
 *   Templates, AgentTemplate                  an agent's last keep-alive and reply, to reuse
 *   Why                                       reasons, which a Tally counts
 *   Link, LinkTurns                           the module's own talk with the server
 *   Servers, ServerWatch, OptionsProbe        whether a server is alive
 *   Seen, AgentLog, Report                    agents that the server is told of
 *   AgentStreams, AgentStream                 agents' TCP streams to the server
 *   StreamSide, PingRota                      the messages and pings of a stream
 * </pre>
 */
package org.netserv.keepalive;
