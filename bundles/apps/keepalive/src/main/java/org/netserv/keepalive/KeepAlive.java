// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.util.Map;
import java.util.TreeMap;
import org.netserv.module.ModuleProperties;
import org.netserv.packet.Answers;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;
import org.netserv.packet.Tally;
import org.netserv.sip.SipError;
import org.netserv.sip.stream.StreamSettings;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;

/**
 * Answers SIP keep-alives in the server's place. {@link ResponderSettings} reads the properties,
 * which are set under the bundle's symbolic name. New properties take effect with the next packet,
 * and the module then forgets its agents.
 */
@Component(service = PktProcessor.class, configurationPid = KeepAlive.PID)
public final class KeepAlive implements PktProcessor {
  /** Name of the configuration. */
  public static final String PID = "NetServ.apps.KeepAlive";

  private static final System.Logger LOG = System.getLogger(KeepAlive.class.getName());

  private final Tally<Why> tally = new Tally<>(Why.class);
  private final Tally<SipError> errors = new Tally<>(SipError.class);
  private final ResponderRehearsal rehearsal = new ResponderRehearsal();
  private final Answers answers; // null = there is no such service
  private volatile Responder responder;
  private Link link; // with the server; null = none. Guarded by this
  private Link next; // made, and not yet started
  private KernelAnswers kernel; // null = none. Guarded by this
  private KernelAnswers nextKernel; // of the responder that has packets already
  private AgentStreams streams; // null = none. Guarded by this
  private AgentStreams nextStreams; // made, and not yet started
  private boolean active;

  /**
   * @param answers of the kernel; null = this container has no such service
   * @throws IllegalArgumentException naming the property that is wrong
   */
  @Activate
  public KeepAlive(
      Map<String, Object> properties,
      @Reference(cardinality = ReferenceCardinality.OPTIONAL) Answers answers) {
    this.answers = answers;
    configure(properties);
  }

  /** Makes one in a container without a fast path. */
  public KeepAlive(Map<String, Object> properties) {
    this(properties, null);
  }

  /** Shows the counters to the operator of the node, and begins. */
  @Activate
  void activate(BundleContext context) {
    context.registerService(Tally.class, tally, null);
    activate();
  }

  /** Begins to talk with the server, if the properties want it. */
  synchronized void activate() {
    active = true;
    exchange();
  }

  /** Takes new properties. If a property is wrong, the old properties stay in force. */
  @Modified
  public synchronized void modified(Map<String, Object> properties) {
    configure(properties);
    if (active) {
      exchange();
    }
  }

  private void configure(Map<String, Object> properties) {
    ResponderSettings settings = ResponderSettings.of(properties);
    LinkSettings talk = LinkSettings.of(properties);
    StreamSettings tcp = StreamSettings.of(new ModuleProperties(properties));
    Servers servers = new Servers();
    Seen seen = talk.reports() ? new Seen() : null;
    KernelAnswers hands = new KernelAnswers(answers, settings.kernel());
    Link made =
        talk.isWanted() ? new Link(talk, servers, seen == null ? new Seen() : seen, hands) : null;
    responder = new Responder(settings, tally, errors, servers, seen, talk.reportInterval(), hands);
    next = made;
    nextKernel = hands;
    nextStreams = tcp.listen() > 0 ? new AgentStreams(tcp, settings.passEvery()) : null;
  }

  /** Ends the link and the streams of the old properties, and starts those of the new ones. */
  private void exchange() {
    if (kernel != null) {
      kernel.close();
    }
    kernel = nextKernel;
    if (link != null) {
      link.close();
    }
    link = next == null ? null : next.start();
    if (streams != null) {
      streams.close();
    }
    streams = nextStreams == null ? null : nextStreams.start();
  }

  @Deactivate
  public synchronized void deactivate() {
    LOG.log(System.Logger.Level.INFO, "keep-alives until now: {0}", counters());
    next = null;
    nextKernel = null;
    nextStreams = null;
    active = false;
    exchange();
  }

  @Override
  public Decision process(Packet packet, Decision decision) {
    return responder.process(packet, decision);
  }

  @Override
  public void warmUp(Packet packet, Decision decision) {
    rehearsal.run(packet, decision);
  }

  /**
   * Returns the numbers of packets by outcome, and of malformed messages by fault. From any thread.
   */
  public synchronized Map<String, Long> counters() {
    Map<String, Long> all = new TreeMap<>(tally.snapshot());
    errors.snapshot().forEach((fault, count) -> all.put("MALFORMED." + fault, count));
    if (link != null) {
      link.counters(all);
    }
    if (kernel != null) {
      kernel.counters(all);
    }
    if (streams != null) {
      streams.counters(all);
    }
    return all;
  }
}
