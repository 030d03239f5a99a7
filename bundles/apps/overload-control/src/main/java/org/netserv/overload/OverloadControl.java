// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.netserv.module.ModuleProperties;
import org.netserv.overload.feedback.EdgeReport;
import org.netserv.overload.feedback.Feedback;
import org.netserv.overload.feedback.FeedbackMac;
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

/**
 * Turns requests away at the edge while their server is overloaded. {@link OverloadSettings} reads
 * the properties, which are set under the bundle's symbolic name. New properties take effect with
 * the next packet, and the module then forgets its transactions and the feedback.
 */
@Component(service = PktProcessor.class, configurationPid = OverloadControl.PID)
public final class OverloadControl implements PktProcessor {
  /** Name of the configuration. */
  public static final String PID = "NetServ.apps.OverloadControl";

  private static final System.Logger LOG = System.getLogger(OverloadControl.class.getName());
  private static final long NANOS = 1_000_000;

  private final Tally<Why> tally = new Tally<>(Why.class);
  private final Tally<SipError> errors = new Tally<>(SipError.class);
  private final Tally<Why> streamTally = new Tally<>(Why.class);
  private final Tally<SipError> streamErrors = new Tally<>(SipError.class);
  private final AtomicReference<Feedback> inbox = new AtomicReference<>();
  private final AtomicReference<Feedback> streamInbox = new AtomicReference<>();
  private final EdgeRehearsal rehearsal = new EdgeRehearsal();
  private final LongSupplier nanos;
  private final long started;
  private OverloadSettings settings;
  private StreamSettings streamSettings;
  private FeedbackPort port; // null = none
  private UserStreams streams; // null = none
  private volatile Edge edge;
  private volatile StreamEdge streamEdge; // null = none

  /**
   * Starts the module.
   *
   * @throws IllegalArgumentException naming the property that is wrong
   * @throws IOException if the feedback port is in use
   */
  @Activate
  public OverloadControl(Map<String, Object> properties) throws IOException {
    this(properties, System::nanoTime);
  }

  OverloadControl(Map<String, Object> properties, LongSupplier nanos) throws IOException {
    this.nanos = nanos;
    started = nanos.getAsLong();
    settings = OverloadSettings.of(new ModuleProperties(properties));
    streamSettings = StreamSettings.of(new ModuleProperties(properties));
    decide();
    port = open(settings);
    streams = stream();
  }

  /** Shows the counters to the operator of the node. */
  @Activate
  void show(BundleContext context) {
    context.registerService(Tally.class, tally, null);
    context.registerService(Tally.class, streamTally, null);
  }

  /** Makes the edges for datagrams and for streams, which share the server's feedback. */
  private void decide() {
    Demand packets = new Demand();
    Demand messages = new Demand();
    SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());
    Arbiter first = new Arbiter(settings, random.split(), inbox, packets, messages);
    edge = new Edge(settings, nanos, random, first, tally, errors);
    if (streamSettings.listen() == 0) {
      streamEdge = null;
      return;
    }
    Arbiter second = new Arbiter(settings, random.split(), streamInbox, messages, packets);
    streamEdge = new StreamEdge(settings, nanos, random, second, streamTally, streamErrors);
  }

  private UserStreams stream() {
    return streamEdge == null ? null : new UserStreams(streamSettings, streamEdge).start();
  }

  private FeedbackPort open(OverloadSettings wanted) throws IOException {
    return wanted.feedbackPort() == 0
        ? null
        : new FeedbackPort(
            wanted.feedbackPort(),
            new FeedbackMac(FeedbackMac.key(wanted.feedbackKey())),
            this::inform,
            this::report,
            nanos);
  }

  private void inform(Feedback feedback) {
    inbox.set(feedback);
    streamInbox.set(feedback);
  }

  /**
   * Takes new properties. If a property is wrong, the old properties stay in force. Users' streams
   * stay open, unless a property about streams has changed.
   *
   * @throws IOException if the new feedback port is in use; the old properties stay in force
   */
  @Modified
  public synchronized void modified(Map<String, Object> properties) throws IOException {
    OverloadSettings wanted = OverloadSettings.of(new ModuleProperties(properties));
    StreamSettings wantedStreams = StreamSettings.of(new ModuleProperties(properties));
    boolean moved =
        wanted.feedbackPort() != settings.feedbackPort()
            || !wanted.feedbackKey().equals(settings.feedbackKey());
    if (moved) {
      move(wanted);
    }
    settings = wanted;
    boolean same = wantedStreams.equals(streamSettings);
    streamSettings = wantedStreams;
    decide();
    if (same && streams != null) {
      streams.decideBy(streamEdge);
      return;
    }
    if (streams != null) {
      streams.close();
    }
    streams = stream();
  }

  private void move(OverloadSettings wanted) throws IOException {
    boolean samePort = wanted.feedbackPort() == settings.feedbackPort();
    if (samePort && port != null) {
      port.close();
    }
    FeedbackPort opened = open(wanted);
    if (!samePort && port != null) {
      port.close();
    }
    port = opened;
  }

  @Deactivate
  public synchronized void deactivate() {
    if (port != null) {
      port.close();
    }
    if (streams != null) {
      streams.close();
    }
    LOG.log(System.Logger.Level.INFO, "overload control until now: {0}", counters());
  }

  @Override
  public Decision process(Packet packet, Decision decision) {
    return edge.process(packet, decision);
  }

  @Override
  public void warmUp(Packet packet, Decision decision) {
    rehearsal.run(packet, decision);
  }

  /** Returns the port of the feedback socket, for tests. */
  int feedbackPort() {
    return port.port();
  }

  private EdgeReport report(long sequence) {
    long offered = 0;
    long admitted = 0;
    long rejected = 0;
    long repeated = 0;
    for (Why why : Why.values()) {
      long count = tally.get(why) + streamTally.get(why);
      offered += why.isOffered() ? count : 0;
      admitted += why.isAdmitted() ? count : 0;
      rejected += why.isRejected() ? count : 0;
      repeated += why.isRepetition() ? count : 0;
    }
    Edge packets = edge;
    StreamEdge messages = streamEdge;
    int code = packets.code() != 0 || messages == null ? packets.code() : messages.code();
    int inFlight = packets.inFlight() + (messages == null ? 0 : messages.inFlight());
    int millis = (int) ((nanos.getAsLong() - started) / NANOS);
    return new EdgeReport(code, sequence, offered, admitted, rejected, repeated, inFlight, millis);
  }

  /**
   * Returns the numbers of packets by outcome, of malformed messages by fault, of feedback, and of
   * streams. Outcomes of messages in streams have names that begin with {@code TCP.} From any
   * thread.
   */
  public synchronized Map<String, Long> counters() {
    Map<String, Long> all = new TreeMap<>(tally.snapshot());
    errors.snapshot().forEach((fault, count) -> all.put("MALFORMED." + fault, count));
    streamTally.snapshot().forEach((why, count) -> all.put("TCP." + why, count));
    streamErrors.snapshot().forEach((fault, count) -> all.put("TCP.MALFORMED." + fault, count));
    if (port != null) {
      all.putAll(port.counters());
    }
    if (streams != null) {
      all.putAll(streams.counters());
    }
    return all;
  }
}
