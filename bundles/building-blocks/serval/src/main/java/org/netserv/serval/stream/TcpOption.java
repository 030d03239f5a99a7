// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/** The options of a TCP header that streams read and write. Others are passed over. */
final class TcpOption {
  static final int END = 0;
  static final int NOP = 1;

  /** 2, 4, MSS in 2 bytes. */
  static final int MSS = 2;

  /** 3, 3, shift in 1 byte (RFC 7323 section 2.2). */
  static final int SCALE = 3;

  /** 4, 2 (RFC 2018 section 2). */
  static final int SACK_PERMITTED = 4;

  /** 5, 2 + 8n, n times left and right edge in 4 bytes each (RFC 2018 section 3). */
  static final int SACK = 5;

  /** Blocks of SACK that a header has room for. */
  static final int BLOCKS = 4;

  private TcpOption() {}
}
