// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

/**
 * Makes each attack once, one after the other. Then it makes four at once, below the rate at which
 * a container is restarted.
 */
public final class HostileVisitor extends HostileAgent {
  @Override
  protected void attack() throws Exception {
    once();
    four(patient());
  }
}
