// SPDX-License-Identifier: Apache-2.0
/**
 * The state machines of a flow and of its control channel, without I/O.
 *
 * <pre>
 *   Flow                 one end of a flow: takes messages, calls and time; acts by a FlowPort
 *   FlowTransitions      table: set-up and close
 *   MoveTransitions      table: RSYN
 *   ChannelTransitions   table: the one message that waits for its acknowledgement
 *   TransitionTable      the form of these tables
 *   FlowRefusal          the reasons for which a message changes nothing
 * </pre>
 *
 * <p>Time is a number of milliseconds that the caller gives, from any zero. One thread per flow.
 */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.0.0")
package org.netserv.serval.flow;
