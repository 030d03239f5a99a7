// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.util.Hashtable;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/**
 * Sends each packet back to its source. If the first letter of a packet is o, the kernel turns the
 * rest of its flow in the same way.
 */
public final class Turn implements BundleActivator, PktProcessor {
  private static final int SECONDS = 600;

  @Override
  public void start(BundleContext context) {
    context.registerService(PktProcessor.class, this, new Hashtable<>());
  }

  @Override
  public void stop(BundleContext context) {}

  @Override
  public Decision process(Packet packet, Decision decision) {
    boolean all = packet.payloadLength() > 0 && packet.get(packet.payloadOffset()) == 'o';
    packet.swapEndpoints();
    decision.changed("turned");
    return all ? decision.offload(SECONDS) : decision;
  }
}
