// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

/** An operator's request that cannot be done, with the reason in words. */
public final class AdminException extends Exception {
  private static final long serialVersionUID = 1L;

  public AdminException(String message) {
    super(message);
  }

  public AdminException(String message, Throwable cause) {
    super(message, cause);
  }
}
