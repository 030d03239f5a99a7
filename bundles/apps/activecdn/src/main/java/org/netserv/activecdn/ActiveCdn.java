// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import org.netserv.activecdn.core.Why;
import org.netserv.activecdn.net.Server;
import org.netserv.packet.Tally;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;

/**
 * A cache for a publisher's web server, at the edge. {@link CdnSettings} reads the properties,
 * which are set under the bundle's symbolic name. With new properties the cache starts anew, with
 * what is on the disk.
 */
@Component(service = ActiveCdn.class, immediate = true, configurationPid = ActiveCdn.PID)
public final class ActiveCdn {
  /** Name of the configuration. */
  public static final String PID = "NetServ.apps.ActiveCDN";

  private static final System.Logger LOG = System.getLogger(ActiveCdn.class.getName());
  private static final int INSTANCE = 4; // bytes

  /** The property of the virtual machine that names the publisher's data directory. */
  private static final String DATA = "user.home";

  private final Tally<Why> tally = new Tally<>(Why.class);
  private final SecureRandom random = new SecureRandom();
  private Server server;

  /**
   * Starts the module.
   *
   * @throws IllegalArgumentException naming the property that is wrong
   * @throws IOException if the port cannot be had, or the directory of responses
   */
  @Activate
  public ActiveCdn(Map<String, Object> properties) throws IOException {
    server = new Server(plan(properties), tally);
    server.rehearse();
  }

  /** Shows the counters to the operator of the node. */
  @Activate
  void show(BundleContext context) {
    context.registerService(Tally.class, tally, null);
  }

  private Server.Plan plan(Map<String, Object> properties) {
    byte[] instance = new byte[INSTANCE];
    random.nextBytes(instance);
    return new CdnSettings(properties, Path.of(System.getProperty(DATA)))
        .plan(Runtime.getRuntime().maxMemory(), HexFormat.of().formatHex(instance));
  }

  /** Takes new properties. If a property is wrong, the cache goes on with the old ones. */
  @Modified
  public synchronized void modified(Map<String, Object> changed) throws IOException {
    Server.Plan next = plan(changed);
    server.close();
    tell();
    server = new Server(next, tally);
  }

  /** Stops. Responses on their way are cut. */
  @Deactivate
  public synchronized void deactivate() {
    server.close();
    tell();
  }

  private void tell() {
    LOG.log(System.Logger.Level.INFO, "served until now: {0}", tally.snapshot());
  }

  /** The port that the cache listens on. */
  synchronized int port() {
    return server.port();
  }

  /** The port that the cache listens on for TLS, 0 = none. */
  synchronized int tlsPort() {
    return server.tlsPort();
  }
}
