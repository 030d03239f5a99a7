// SPDX-License-Identifier: Apache-2.0
/**
 * TCP inside a flow of SAL, without I/O.
 *
 * <pre>
 *   Connection             one end of a stream: takes segments, calls and time; acts by a ConnectionPort
 *   StreamTransitions      table: set-up and close
 *   Segment,
 *   OutgoingSegment        the header: a view, and one in the making
 *   SendHalf               buffer, windows, retransmission; Scoreboard and Rack find losses (RFC 6675,
 *                          RFC 8985), Cubic has the congestion window (RFC 9438), Pacer the rate,
 *                          RetransmissionTimeout the timer (RFC 6298)
 *   ReceiveHalf            window and acknowledgements; Reassembly has the data
 *   SegmentFault,
 *   StreamVerdict          the refusals of a header, and the outcome for a segment
 * </pre>
 *
 * <p>Time is a number of milliseconds that the caller gives, from any zero. One thread per
 * connection.
 */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.0.0")
package org.netserv.serval.stream;
