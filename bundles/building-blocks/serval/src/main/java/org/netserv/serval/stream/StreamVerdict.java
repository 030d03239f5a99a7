// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/** The outcome for a sound segment at a stream. All from {@link #DUPLICATE} on drop its payload. */
public enum StreamVerdict {
  TAKEN("segments that a stream has taken"),
  /** Gets an acknowledgement, in case the first was lost. */
  DUPLICATE("segments with nothing that a stream has not had"),
  /** Gets an acknowledgement. A window probe is one, too. */
  OUTSIDE("segments outside of the window"),
  RANGES("segments behind a gap that a stream has no room to note"),
  AFTER_FIN("payload behind the end of the peer's data"),
  AFTER_CLOSE("payload for a program that has closed the stream, which is broken off"),
  /** Gets an acknowledgement (RFC 5961 section 5.2). */
  WRONG_ACK("acknowledgements of what was never sent"),
  NO_ACK("segments without ACK in an open stream"),
  /** Gets an acknowledgement (RFC 5961 section 4.2). */
  SYN("SYNs in an open stream"),
  RESET("RSTs that have broken off a stream"),
  /** Gets an acknowledgement, which a peer without the stream answers with the right RST. */
  WRONG_RESET("RSTs whose sequence number is not the expected one"),
  NOT_OPEN("segments for a stream that is not open");

  private final String text;

  StreamVerdict(String text) {
    this.text = text;
  }

  /** Returns the verdict in words. */
  public String text() {
    return text;
  }
}
