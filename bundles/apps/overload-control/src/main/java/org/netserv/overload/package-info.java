// SPDX-License-Identifier: Apache-2.0
/**
 * Overload Control: a packet module that turns requests away before they reach an overloaded SIP
 * server (RFC 7339, RFC 7415), and a server for users' TCP streams that does the same.
 *
 * <pre>
 *   OverloadControl      component, properties      Edge   the way of one packet
 *   UserStreams, UserStream, StreamCutter, StreamRoom                users' TCP streams
 *   StreamEdge           the way of one message of a stream
 *   Arbiter              decides for both           Demand   the part of each
 *   Message, Rank        classify a message
 *   TransactionMachine, TransactionTable            states of transactions
 *   Throttle, Mix, FairShares                       decide about a new request
 *   LossAlgorithm, RateAlgorithm, WindowAlgorithm, OccupancyAlgorithm
 *   Answers              100, 200 and 503           ViaOffer, ViaFeedback   RFC 7339 in Via
 *   FeedbackPort         the monitor's datagrams    Why          reasons, which a Tally counts
 * </pre>
 */
package org.netserv.overload;
