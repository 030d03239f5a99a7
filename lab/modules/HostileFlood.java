// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

/**
 * Makes four attacks at once, as fast as it can. The node restarts its container for it again and
 * again.
 */
public final class HostileFlood extends HostileAgent {
  @Override
  protected void attack() throws Exception {
    four(0);
  }
}
