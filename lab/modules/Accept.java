// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.util.Hashtable;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** A module that does the least possible, so that its cost is the way to it and back. */
public final class Accept implements BundleActivator, PktProcessor {
  @Override
  public void start(BundleContext context) {
    context.registerService(PktProcessor.class, this, new Hashtable<>());
  }

  @Override
  public void stop(BundleContext context) {}

  @Override
  public Decision process(Packet packet, Decision decision) {
    return decision.pass();
  }
}
