// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator;

import java.io.IOException;
import java.util.Map;
import org.netserv.packet.Tally;
import org.netserv.translator.core.Outcome;
import org.netserv.translator.core.Plan;
import org.netserv.translator.net.Server;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;

/**
 * A translator between TCP and Serval. {@link TranslatorSettings} reads the properties, which are
 * set under the bundle's symbolic name. New properties end no connection, unless the module's
 * address, router or buffers change.
 */
@Component(service = Translator.class, immediate = true, configurationPid = Translator.PID)
public final class Translator {
  /** Name of the configuration. */
  public static final String PID = "NetServ.apps.Translator";

  private static final System.Logger LOG = System.getLogger(Translator.class.getName());

  private final Tally<Outcome> tally = new Tally<>(Outcome.class);
  private final Server server;

  /**
   * Listens for TCP, and registers services.
   *
   * @throws IllegalArgumentException naming the property that is wrong
   * @throws IOException if a port cannot be had
   */
  @Activate
  public Translator(Map<String, Object> properties) throws IOException {
    Plan plan = TranslatorSettings.of(properties);
    server = new Server(plan, tally);
  }

  /** Shows the counters to the operator of the node. */
  @Activate
  void show(BundleContext context) {
    context.registerService(Tally.class, tally, null);
  }

  /** Takes new properties. If a property is wrong, the translator goes on with the old ones. */
  @Modified
  public synchronized void modified(Map<String, Object> changed) throws IOException {
    server.change(TranslatorSettings.of(changed));
  }

  /** Stops. Waits for connections to end as long as {@code drain-seconds} says. */
  @Deactivate
  public synchronized void deactivate() {
    server.close();
    LOG.log(System.Logger.Level.INFO, "translated until now: {0}", tally.snapshot());
  }
}
