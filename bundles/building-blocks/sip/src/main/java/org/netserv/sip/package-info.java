// SPDX-License-Identifier: Apache-2.0
/**
 * Byte-level scanning of SIP messages (RFC 3261) without allocation.
 *
 * <p>There are two stages. {@link org.netserv.sip.SipScanner} indexes a message, of a datagram or a
 * stream, request or response, and looks into no value; {@link org.netserv.sip.SipVia}, {@link
 * org.netserv.sip.SipAddress}, {@link org.netserv.sip.SipUri}, {@link org.netserv.sip.SipCseq} and
 * {@link org.netserv.sip.SipParameters} look inside one value. All are flyweights: made once,
 * pointed at a range of a ByteBuffer by {@code reset}, valid until the next {@code reset} or until
 * the bytes change. All positions are absolute buffer indices, ends are exclusive. None is safe for
 * use by two threads at once. A fault is a {@link org.netserv.sip.SipError}, never an exception.
 */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.2.0")
package org.netserv.sip;
