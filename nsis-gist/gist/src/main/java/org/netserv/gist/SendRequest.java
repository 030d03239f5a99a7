// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

import java.time.Duration;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;

/**
 * The arguments of SendMessage (RFC 5971 appendix B.1).
 *
 * @param payload the NSLP message; GIST pads it with zeros to whole words, so it has to know its
 *     own length
 * @param handle given back in messageStatus; null = not interested
 * @param mri direction included
 * @param peer explicit routing to this peer; null = by routing state
 * @param timeout how long GIST may try; null = as long as its own limits
 * @param hops GIST hop count, 1 to 255; -1 = GIST's choice
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record SendRequest(
    byte[] payload,
    Object handle,
    int nslpId,
    SessionId session,
    Mri mri,
    SiiHandle peer,
    TransferAttributes attributes,
    Duration timeout,
    int hops) {}
