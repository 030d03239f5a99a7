// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

/** The transport between a client and the relay (RFC 8656, 3.1). */
public enum Transport {
  UDP,
  TCP,
  TLS,
  DTLS;

  /** Tells whether messages come in a stream, so that ChannelData is padded to four bytes. */
  public boolean isStream() {
    return this == TCP || this == TLS;
  }
}
