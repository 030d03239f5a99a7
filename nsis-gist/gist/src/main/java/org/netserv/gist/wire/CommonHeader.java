// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

/**
 * The common header without its length, which the encoder computes (RFC 5971 appendix A.1).
 *
 * @param hops GIST hop count, 0 to 255; nobody sends 0
 * @param nslpId 0 to 65535; 0 on Error and MA-Hello
 * @param explicit C-flag: to be intercepted (Query, and Data in Q-mode)
 * @param sourceAddress S-flag: the IP source is the signaling source
 * @param reply R-flag: a reply is requested
 * @param routed E-flag: explicitly routed, on Data only
 */
public record CommonHeader(
    int hops,
    int nslpId,
    MessageType type,
    boolean explicit,
    boolean sourceAddress,
    boolean reply,
    boolean routed) {}
