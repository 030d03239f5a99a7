// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

/** An object of a message: one TLV of RFC 5971 appendix A.2. Immutable. */
public sealed interface GistObject
    permits Mri,
        SessionId,
        NetworkLayerInfo,
        StackProposal,
        StackConfiguration,
        QueryCookie,
        ResponderCookie,
        NatTraversal,
        NslpData,
        ErrorObject,
        HelloId,
        UnknownObject {
  /** Type number, 0 to 4095. */
  int type();
}
