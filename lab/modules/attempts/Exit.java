// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

/** Ends the virtual machine. */
public final class Exit extends Attempt {
  @Override
  protected String attempt(String unused) {
    System.exit(7);
    return "still there";
  }
}
