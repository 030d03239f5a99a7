// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import java.util.function.Supplier;
import org.netserv.mediarelay.core.Access;
import org.netserv.mediarelay.core.Accounts;
import org.netserv.mediarelay.core.Why;
import org.netserv.mediarelay.net.AllocationFile;
import org.netserv.mediarelay.net.Relay;
import org.netserv.mediarelay.net.TlsKeys;
import org.netserv.packet.Relays;
import org.netserv.packet.Tally;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;

/**
 * A TURN server (RFC 8656) at the edge. {@link RelaySettings} reads the properties, which are set
 * under the bundle's symbolic name. With new properties the relay starts anew and its allocations
 * end, unless only credentials, keys of TLS and {@code drain} differ.
 */
@Component(service = MediaRelay.class, immediate = true, configurationPid = MediaRelay.PID)
public final class MediaRelay {
  /** Name of the configuration. */
  public static final String PID = "NetServ.apps.MediaRelay";

  private static final System.Logger LOG = System.getLogger(MediaRelay.class.getName());
  private static final int USERS_MOST = 1 << 17;
  private static final int NONCE_SECRET = 32;

  /** The property of the virtual machine that names the publisher's data directory. */
  private static final String DATA = "user.home";

  private static final String FILE = "media-relay.allocations";

  private final Tally<Why> tally = new Tally<>(Why.class);
  private final SecureRandom random = new SecureRandom();
  private final Relays relays;
  private final Path data;
  private final byte[] nonceSecret = new byte[NONCE_SECRET];
  private RelaySettings settings;
  private Relay relay;
  private UsageSender usage; // null = none is reported

  /**
   * @param relays channels in the kernel; null = this container has no such service
   * @throws IllegalArgumentException naming the property that is wrong
   * @throws IOException if a port cannot be had
   */
  @Activate
  public MediaRelay(
      Map<String, Object> properties,
      @Reference(cardinality = ReferenceCardinality.OPTIONAL) Relays relays)
      throws IOException {
    this(properties, relays, Path.of(System.getProperty(DATA)));
  }

  /**
   * @param data the directory in which allocations are kept
   */
  MediaRelay(Map<String, Object> properties, Relays relays, Path data) throws IOException {
    this.relays = relays;
    this.data = data;
    random.nextBytes(nonceSecret);
    settings = new RelaySettings(properties);
    relay = open(settings, settings::keys);
  }

  /** Shows the counters to the operator of the node. */
  @Activate
  void show(BundleContext context) {
    context.registerService(Tally.class, tally, null);
  }

  /**
   * Opens a relay. Clients by UDP are served before the keys are read.
   *
   * @param keys of TLS and DTLS, null of it = there are none
   */
  private Relay open(RelaySettings by, Supplier<TlsKeys> keys) throws IOException {
    Relay.Plan plan = by.plan(nonceSecret, random.nextLong(), MediaRelay::seconds);
    RelaySettings.Usage to = by.usage();
    Accounts accounts = new Accounts(USERS_MOST);
    Relay opened = new Relay(plan, accounts, tally, random);
    if (relays != null) {
      opened.useKernel(relays, by.servers(), plan, tally);
    }
    keep(opened, by, plan);
    if (by.drains()) {
      opened.drain();
    }
    UsageSender reports = null;
    try {
      reports = to == null ? null : report(to, accounts, opened::settle);
      opened.start();
      opened.serveStreams(keys.get());
    } catch (IOException | RuntimeException e) {
      close(opened, reports);
      throw e;
    }
    usage = reports;
    return opened;
  }

  /** Has the relay make the allocations again that a killed process has left. */
  private void keep(Relay opened, RelaySettings by, Relay.Plan plan) {
    try {
      AllocationFile file =
          AllocationFile.open(
              data.resolve(FILE),
              plan.limits().allocations(),
              () -> Clock.systemUTC().millis(),
              tally);
      opened.keep(file, by.digest(), plan);
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "allocations are not kept", e);
    }
  }

  private UsageSender report(RelaySettings.Usage to, Accounts accounts, Runnable settle)
      throws IOException {
    DatagramSocket socket = new DatagramSocket();
    UsageSender.Sink sink =
        new UsageSender.Sink() {
          @Override
          public void send(byte[] datagram) throws IOException {
            socket.send(new DatagramPacket(datagram, datagram.length, to.to()));
          }

          @Override
          public void close() {
            socket.close();
          }
        };
    UsageReport report =
        new UsageReport(random.nextLong(), to.key(), () -> Clock.systemUTC().millis());
    return new UsageSender(report, accounts, settle, sink, to.seconds(), tally);
  }

  /** Ends the relay, then its reports, which so have all of it. */
  private static void close(Relay relay, UsageSender usage) {
    relay.close();
    if (usage != null) {
      usage.close();
    }
  }

  /** Takes new properties. If a property is wrong, the relay goes on with the old ones. */
  @Modified
  public synchronized void modified(Map<String, Object> changed) throws IOException {
    RelaySettings next = new RelaySettings(changed);
    if (next.continues(settings)) {
      renew(next);
    } else {
      next.plan(nonceSecret, 0, () -> 0); // refuses what is wrong before anything ends
      next.usage();
      TlsKeys keys = next.keys();
      close(relay, usage);
      tell();
      relay = open(next, () -> keys);
    }
    settings = next;
  }

  /** Gives the relay what it takes while calls go on. */
  private void renew(RelaySettings next) {
    Access access = next.access(nonceSecret, MediaRelay::seconds);
    if (next.hasOtherKeys(settings)) {
      relay.keys(next.keys());
    }
    relay.access(access);
    if (next.drains()) {
      relay.drain();
    }
  }

  private static long seconds() {
    return Clock.systemUTC().millis() / 1000;
  }

  /** Stops. Waits for allocations to end as long as {@code drain-seconds} says. */
  @Deactivate
  public synchronized void deactivate() {
    try {
      relay.drain();
      relay.awaitEnd(settings.drainMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    close(relay, usage);
    tell();
  }

  private void tell() {
    LOG.log(System.Logger.Level.INFO, "relayed until now: {0}", tally.snapshot());
  }
}
