// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.HashMap;
import java.util.Map;
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
    context.registerService(Relays.class, new RelaysOfBundle(table), null);
    context.registerService(ServiceRules.class, new RulesOfBundle(table), null);
    context.registerService(Answers.class, new AnswersOfBundle(table), null);
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

  /** The places are the container's; each bundle has its own relays. */
  private static final class RelaysOfBundle implements ServiceFactory<Relays> {
    private final RelayTable table;

    RelaysOfBundle(RelayTable table) {
      this.table = table;
    }

    @Override
    public Relays getService(Bundle bundle, ServiceRegistration<Relays> registration) {
      return new BundleRelays(table);
    }

    @Override
    public void ungetService(
        Bundle bundle, ServiceRegistration<Relays> registration, Relays relays) {
      ((BundleRelays) relays).close();
    }
  }

  /** The rules of service routers have places of the same table. */
  private static final class RulesOfBundle implements ServiceFactory<ServiceRules> {
    private final RelayTable table;

    RulesOfBundle(RelayTable table) {
      this.table = table;
    }

    @Override
    public ServiceRules getService(Bundle bundle, ServiceRegistration<ServiceRules> registration) {
      return new BundleRules(table);
    }

    @Override
    public void ungetService(
        Bundle bundle, ServiceRegistration<ServiceRules> registration, ServiceRules rules) {
      ((BundleRules) rules).close();
    }
  }

  /** Answers by template have places of the same table. */
  private static final class AnswersOfBundle implements ServiceFactory<Answers> {
    private final RelayTable table;

    AnswersOfBundle(RelayTable table) {
      this.table = table;
    }

    @Override
    public Answers getService(Bundle bundle, ServiceRegistration<Answers> registration) {
      return new BundleAnswers(table);
    }

    @Override
    public void ungetService(
        Bundle bundle, ServiceRegistration<Answers> registration, Answers answers) {
      ((BundleAnswers) answers).close();
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
