// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.net.InetAddress;

/**
 * Message-Routing-Information (appendix A.3.1): which flow, by which routing method, which
 * direction. Equality is that of the encoded bytes, direction included: it is part of the key of
 * routing state.
 */
public sealed interface Mri extends GistObject permits PathCoupledMri, LooseEndMri, UnknownMri {
  int TYPE = 0;

  @Override
  default int type() {
    return TYPE;
  }

  /** MRM-ID: 0 path-coupled, 1 loose-end. */
  int method();

  /** D-flag: this message travels upstream, toward the source of the flow. */
  boolean upstream();

  /** The same flow with the other direction; of an unknown method: itself. */
  Mri flipped();

  /** 4 or 6; 0 when the method is unknown. */
  int ipVersion();

  /** Source of the flow; null when the method is unknown. */
  InetAddress source();

  /** Destination of the flow; null when the method is unknown. */
  InetAddress destination();
}
