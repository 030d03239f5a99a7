// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.util.Hashtable;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** Leaves each flow to the kernel at its first packet. */
public final class Offload implements BundleActivator, PktProcessor {
  private static final int SECONDS = 3600;

  @Override
  public void start(BundleContext context) {
    context.registerService(PktProcessor.class, this, new Hashtable<>());
  }

  @Override
  public void stop(BundleContext context) {}

  @Override
  public Decision process(Packet packet, Decision decision) {
    return decision.pass().offload(SECONDS);
  }
}
