// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip.stream;

import java.io.IOException;
import org.netserv.sip.SipError;

/** A stream that has to end because nobody can tell its messages apart. */
public final class StreamBrokenException extends IOException {
  private static final long serialVersionUID = 1L;

  public StreamBrokenException(SipError error) {
    super(error.text());
  }
}
