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

  /**
   * The value of the object: whole words, reserved bits and insignificant fields zero; of an
   * unknown method as it came. Two MRIs are equal when these bytes are, so they serve as a small
   * key.
   */
  byte[] value();

  /**
   * The MRI of such a value: of the payload of an Error, or of a key.
   *
   * @throws GistFormatException 10/0 to 10/2
   */
  static Mri decode(byte[] value) throws GistFormatException {
    return MriCodec.decodeValue(value);
  }

  /** MRM-ID: 0 path-coupled, 1 loose-end. */
  int method();

  /** D-flag: this message travels upstream, toward the source of the flow. */
  boolean upstream();

  /** Returns the same flow in the other direction. An MRI of an unknown method returns itself. */
  Mri flipped();

  /** Returns 4 or 6; 0 when the method is unknown. */
  int ipVersion();

  /** Source of the flow; null when the method is unknown. */
  InetAddress source();

  /** Destination of the flow; null when the method is unknown. */
  InetAddress destination();
}
