// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;

/**
 * The arguments of RecvMessage (RFC 5971 appendix B.2).
 *
 * @param payload may be empty; with the padding
 * @param mri as in the message: its direction is that in which the message travelled
 * @param validated false: explicitly routed, or without routing state
 * @param peer null when not known
 * @param attributes how it came
 * @param peerName identity by certificate; empty without one
 * @param ttl IP TTL as received; 0 = not known
 * @param distance IP hops to the peer; 0 = not known
 * @param hops GIST hop count after the decrement
 * @param interfaceIndex where it came in; 0 = not known
 * @param local whether this host is the destination of the flow's signaling: no further node
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record ReceivedMessage(
    byte[] payload,
    int nslpId,
    SessionId session,
    Mri mri,
    boolean validated,
    SiiHandle peer,
    TransferAttributes attributes,
    String peerName,
    int ttl,
    int distance,
    int hops,
    int interfaceIndex,
    boolean local) {}
