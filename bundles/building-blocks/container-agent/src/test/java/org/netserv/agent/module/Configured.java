// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent.module;

import java.util.Dictionary;
import java.util.Map;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkUtil;
import org.osgi.service.cm.ManagedService;

/** Drops packets while its property {@code verdict} is {@code drop}; throws at {@code throw}. */
public final class Configured implements BundleActivator, PktProcessor, ManagedService {
  private volatile String verdict = "none";

  @Override
  public void start(BundleContext context) {
    String pid = context.getBundle().getSymbolicName();
    context.registerService(
        new String[] {PktProcessor.class.getName(), ManagedService.class.getName()},
        this,
        FrameworkUtil.asDictionary(Map.of(Constants.SERVICE_PID, pid)));
  }

  @Override
  public void stop(BundleContext context) {}

  @Override
  public void updated(Dictionary<String, ?> properties) {
    String said = properties == null ? "none" : (String) properties.get("verdict");
    if (said.equals("throw")) {
      throw new IllegalStateException("as it was told");
    }
    verdict = said;
  }

  @Override
  public Decision process(Packet packet, Decision decision) {
    return verdict.equals("drop") ? decision.drop("configured") : decision.pass(verdict);
  }
}
