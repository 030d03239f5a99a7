// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.List;

/**
 * Bytes that are not a message. It carries what the Error message of RFC 5971 appendix A.4 has to
 * say.
 */
public final class GistFormatException extends Exception {
  private final int code;
  private final int subcode;
  private final transient List<ErrorObject.Info> info;

  /**
   * A refusal.
   *
   * @param code 1 to 12, appendix A.4.4
   */
  public GistFormatException(int code, int subcode, List<ErrorObject.Info> info, String message) {
    super(message);
    this.code = code;
    this.subcode = subcode;
    this.info = List.copyOf(info);
  }

  public int code() {
    return code;
  }

  public int subcode() {
    return subcode;
  }

  public List<ErrorObject.Info> info() {
    return info;
  }
}
