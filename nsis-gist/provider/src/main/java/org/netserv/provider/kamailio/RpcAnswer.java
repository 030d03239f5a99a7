// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.kamailio;

import java.util.List;

/**
 * The answer to a call.
 *
 * @param code 0 = done; else the number of Kamailio's refusal, or {@link #LOST}
 * @param reason empty when done
 * @param records of the answer; see {@link BinRpc}
 */
public record RpcAnswer(int code, String reason, List<Object> records) {
  /** Code of a call that Kamailio may not have heard: no connection, or no answer in time. */
  public static final int LOST = -1;

  public RpcAnswer {
    records = List.copyOf(records);
  }

  public boolean done() {
    return code == 0;
  }
}
