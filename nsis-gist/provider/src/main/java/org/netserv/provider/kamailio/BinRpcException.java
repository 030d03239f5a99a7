// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.kamailio;

import java.io.IOException;

/** Reports bytes that are no answer of Kamailio's module ctl. */
public final class BinRpcException extends IOException {
  private static final long serialVersionUID = 1L;

  BinRpcException(String reason) {
    super(reason);
  }
}
