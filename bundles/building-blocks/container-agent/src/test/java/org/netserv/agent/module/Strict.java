// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent.module;

import java.util.Map;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;

/**
 * A component that takes other properties while it runs, and throws at properties that it refuses.
 */
public final class Strict implements PktProcessor {
  private volatile boolean drops;

  public Strict(Map<String, Object> properties) {
    modified(properties);
  }

  /** Takes the property {@code verdict}: {@code pass} or {@code drop}. */
  public void modified(Map<String, Object> properties) {
    String verdict = String.valueOf(properties.get("verdict"));
    if (!verdict.equals("pass") && !verdict.equals("drop")) {
      throw new IllegalArgumentException("verdict: neither pass nor drop: " + verdict);
    }
    drops = verdict.equals("drop");
  }

  @Override
  public Decision process(Packet packet, Decision decision) {
    return drops ? decision.drop("strict") : decision.pass("strict");
  }
}
