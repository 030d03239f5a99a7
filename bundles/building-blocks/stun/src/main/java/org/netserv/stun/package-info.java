// SPDX-License-Identifier: Apache-2.0
/**
 * STUN messages and credentials (RFC 8489, 7635), with the attributes of TURN (RFC 8656, 6062,
 * 8016) and NAT behaviour discovery (RFC 5780).
 *
 * <pre>
 *   StunMessage, StunWriter             a view of a message; a message in the making
 *   StunAttribute, StunMethod, ...      the registered numbers
 *   StunAddress, Lifetime, ErrorCode... one attribute each: get reads it, put writes it
 *   StunFrames, ChannelData             STUN and channels on a stream
 *   Integrity, StunKey, Fingerprint     the two kinds of check value
 *   LongTermServer, Nonces, ...         credentials
 *   AccessToken, TokenKey, ...          those of an authorization server
 * </pre>
 *
 * <p>Positions are absolute indices of a big-endian ByteBuffer, and ends are exclusive. IPv4
 * addresses are ::ffff:a.b.c.d in two halves, as in org.netserv.packet. Views and writers allocate
 * nothing after their construction, and belong to one thread. A fault is a {@link
 * org.netserv.stun.StunError}, never an exception.
 */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.0.0")
package org.netserv.stun;
