// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.netserv.host.PacketPort;
import org.netserv.packet.Answers;
import org.netserv.packet.Flows;
import org.netserv.packet.PktProcessor;
import org.netserv.packet.Relays;
import org.netserv.packet.ServiceRules;
import org.osgi.annotation.bundle.Header;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceFactory;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.ServiceRegistration;
import org.osgi.util.tracker.ServiceTracker;
import org.osgi.util.tracker.ServiceTrackerCustomizer;

/**
 * Offers the dispatcher, the records of flows and the relays, and tells the dispatcher which packet
 * processors come and go. By hand: each container has it, and not each has Declarative Services.
 */
@Header(name = Constants.BUNDLE_ACTIVATOR, value = "${@class}")
public final class Activator implements BundleActivator {
  private PacketDispatcher dispatcher;
  private ServiceTracker<PktProcessor, PktProcessor> processors;

  @Override
  public void start(BundleContext context) {
    dispatcher = new PacketDispatcher();
    context.registerService(Dispatcher.class, dispatcher, null);
    context.registerService(Flows.class, new RecordsOfBundle(), null);
    RelayTable table = table(context);
    context.registerService(
        Relays.class, new PlacesOfBundle<Relays>(() -> new BundleRelays(table)), null);
    context.registerService(
        ServiceRules.class, new PlacesOfBundle<ServiceRules>(() -> new BundleRules(table)), null);
    context.registerService(
        Answers.class, new PlacesOfBundle<Answers>(() -> new BundleAnswers(table)), null);
    processors = new ServiceTracker<>(context, PktProcessor.class, new Whiteboard(context));
    processors.open();
  }

  @Override
  public void stop(BundleContext context) {
    processors.close();
    dispatcher.close();
  }

  /** A reader of its own for each bundle: they share no state. */
  private static final class RecordsOfBundle implements ServiceFactory<Flows> {
    @Override
    public Flows getService(Bundle bundle, ServiceRegistration<Flows> registration) {
      return new FlowRecords(registration.getReference().getBundle().getBundleContext());
    }

    @Override
    public void ungetService(Bundle bundle, ServiceRegistration<Flows> registration, Flows flows) {}
  }

  private static RelayTable table(BundleContext context) {
    boolean attached = PacketPort.isAttached();
    return new RelayTable(
        attached ? PacketPort.descriptors() : null,
        attached ? PacketPort.slots() : null,
        context.getProperty(FlowRecords.FEATURES),
        () -> PacketPort.host().wake());
  }

  /**
   * The places of a table are the container's; each bundle has its own relays, rules or answers.
   */
  private static final class PlacesOfBundle<S> implements ServiceFactory<S> {
    private final Supplier<? extends S> made;

    /**
     * @param made makes the service of a bundle, which is {@link OfBundle} as well
     */
    PlacesOfBundle(Supplier<? extends S> made) {
      this.made = made;
    }

    @Override
    public S getService(Bundle bundle, ServiceRegistration<S> registration) {
      return made.get();
    }

    @Override
    public void ungetService(Bundle bundle, ServiceRegistration<S> registration, S service) {
      ((OfBundle<?>) service).close();
    }
  }

  private final class Whiteboard implements ServiceTrackerCustomizer<PktProcessor, PktProcessor> {
    private final BundleContext context;

    Whiteboard(BundleContext context) {
      this.context = context;
    }

    /** Null, so not followed, if the module's component does not come into being. */
    @Override
    public PktProcessor addingService(ServiceReference<PktProcessor> reference) {
      PktProcessor processor = context.getService(reference);
      if (processor != null) {
        dispatcher.bindProcessor(processor, properties(reference));
      }
      return processor;
    }

    @Override
    public void modifiedService(ServiceReference<PktProcessor> reference, PktProcessor processor) {
      dispatcher.updatedProcessor(processor, properties(reference));
    }

    @Override
    public void removedService(ServiceReference<PktProcessor> reference, PktProcessor processor) {
      dispatcher.unbindProcessor(properties(reference));
      context.ungetService(reference);
    }

    private Map<String, Object> properties(ServiceReference<?> reference) {
      Map<String, Object> properties = new HashMap<>();
      for (String key : reference.getPropertyKeys()) {
        properties.put(key, reference.getProperty(key));
      }
      return properties;
    }
  }
}
