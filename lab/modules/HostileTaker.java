// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

/**
 * Takes the agent's place. It says as much as the rules allow, and some things that they forbid.
 */
public final class HostileTaker extends HostileAgent {
  @Override
  protected void attack() throws Exception {
    takeOver();
  }
}
