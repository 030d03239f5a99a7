// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

/**
 * Takes the agent's place; says as much as the rules allow, and some that they do not.
 */
public final class HostileTaker extends HostileAgent {
  @Override
  protected void attack() throws Exception {
    takeOver();
  }
}
