// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.netserv.packet.RuleBoard;
import org.netserv.packet.ServiceRules;
import org.netserv.packet.Tally;
import org.netserv.serval.table.Rule;
import org.netserv.servicerouter.core.Outcome;
import org.netserv.servicerouter.net.Router;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;

/**
 * A service router of Serval at the edge. {@link RouterSettings} reads the properties, which are
 * set under the bundle's symbolic name. With new properties the router starts anew, and keeps the
 * registrations that it would still take.
 */
@Component(service = ServiceRouter.class, immediate = true, configurationPid = ServiceRouter.PID)
public final class ServiceRouter {
  /** Name of the configuration. */
  public static final String PID = "NetServ.apps.ServiceRouter";

  private static final System.Logger LOG = System.getLogger(ServiceRouter.class.getName());

  private final Tally<Outcome> tally = new Tally<>(Outcome.class);
  private final RuleBoard board = new RuleBoard();
  private final SecureRandom random = new SecureRandom();
  private final ServiceRules kernel;
  private Router router;

  /**
   * Opens the router.
   *
   * @throws IllegalArgumentException naming the property that is wrong
   * @throws IOException if the port cannot be had
   */
  @Activate
  public ServiceRouter(
      Map<String, Object> properties,
      @Reference(cardinality = ReferenceCardinality.OPTIONAL) ServiceRules kernel)
      throws IOException {
    this.kernel = kernel;
    router = open(RouterSettings.of(properties), List.of());
  }

  /** Shows the counters and the rules to the operator of the node. */
  @Activate
  void show(BundleContext context) {
    context.registerService(Tally.class, tally, null);
    context.registerService(RuleBoard.class, board, null);
  }

  private Router open(RouterSettings settings, List<Rule> registered) throws IOException {
    Router opened =
        new Router(
            settings.plan(),
            settings.local(),
            kernel,
            settings.feeding().feeders(random, ServiceRouter::millis, tally),
            registered,
            random,
            ServiceRouter::millis,
            tally);
    opened.show(board);
    opened.start();
    return opened;
  }

  private static long millis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** Takes new properties. If a property is wrong, the router goes on with the old ones. */
  @Modified
  public synchronized void modified(Map<String, Object> changed) throws IOException {
    RouterSettings next = RouterSettings.of(changed);
    Router.check(next.plan(), random); // refuses a rule before anything ends
    List<Rule> registered = router.end(false);
    tell();
    router = open(next, registered);
  }

  /** Stops. */
  @Deactivate
  public synchronized void deactivate() {
    router.close();
    tell();
  }

  private void tell() {
    LOG.log(System.Logger.Level.INFO, "routed until now: {0}", tally.snapshot());
  }
}
