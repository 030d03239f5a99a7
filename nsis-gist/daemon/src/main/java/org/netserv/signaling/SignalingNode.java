// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.netserv.frames.Json;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistSettings;
import org.netserv.gist.association.AssociationCounters;
import org.netserv.gist.association.AssociationTable;
import org.netserv.gist.net.AuthorisedPeers;
import org.netserv.gist.net.EventLoopTimers;
import org.netserv.gist.net.HostNetwork;
import org.netserv.gist.net.NettyLinks;
import org.netserv.gist.net.NodeCertificate;
import org.netserv.gist.net.SigioPort;
import org.netserv.gist.node.GistNode;
import org.netserv.process.HeapUse;
import org.netserv.process.Overload;
import org.netserv.process.Work;

/** Puts together a node's GIST and the NetServ application on it. Runs on the GIST thread. */
final class SignalingNode {
  /** Bytes of the peer identity. */
  private static final int IDENTITY = 16;

  private static final long REPORT_MILLIS = 2_000;
  private static final long TICK_MILLIS = 250;

  private final ControllerClient controller;
  private final AuthorisedPeers peers;
  private final NettyLinks links;
  private final AssociationTable associations;
  private final SigioPort sigio;
  private final EventLoopTimers timers;
  private final NetServApplication application;
  private final GistCounters gistCounters = new GistCounters();
  private final AssociationCounters associationCounters = new AssociationCounters();
  private final SignalingCounters counters = new SignalingCounters();
  private final RegisteredPublishers publishers = new RegisteredPublishers();
  private final Overload overload = new Overload();
  private final HeapUse heap = new HeapUse();
  private final ExecutorService handshakes =
      Executors.newSingleThreadExecutor(SignalingNode::daemon);
  private SignalingFiles files;
  private ApplicationSettings settings;

  /**
   * Starts the node. Everything that the node needs may still be missing.
   *
   * @param run {@code <root>/run/netserv}
   */
  SignalingNode(
      EventLoop loop, Path run, SignalingFiles files, NodeCertificate certificate, String build) {
    this.files = files;
    this.settings = files.application();
    SecureRandom random = new SecureRandom();
    GistSettings gist = files.gist();
    timers = new EventLoopTimers(loop);
    HostNetwork network = new HostNetwork(timers::now);
    peers = new AuthorisedPeers(files.peers(), files.anchors());
    links =
        new NettyLinks(loop, handshakes, files.links(), certificate, peers, associationCounters);
    associations = new AssociationTable(gist, links, timers, random, associationCounters);
    sigio = new SigioPort(loop, run.resolve("sigio.sock"));
    // A flood of Queries must not keep out Confirms and answers. There may be as many of them as
    // there are Queries.
    sigio.limit(gist.interceptionRate(), 2 * gist.interceptionRate());
    controller = new ControllerClient(run.resolve("signaling.sock"), build, loop);
    if (files.policy().enabled()) {
      prepare(network);
    }
    GistNode node =
        new GistNode(
            gist,
            identity(certificate),
            sigio,
            network,
            associations,
            timers,
            random,
            gistCounters);
    application =
        new NetServApplication(
            node,
            controller,
            network,
            timers,
            random,
            counters,
            publishers,
            overload,
            () -> settings);
    node.register(application);
    watch(gist);
    tick();
    report();
  }

  /**
   * Opens the listeners and reads the interfaces, before sigio can bring a Query. The first Query
   * would otherwise wait for both, longer than sigio holds it on a slow machine. It would go on to
   * the user, and the node before this one would take itself for the last.
   */
  private void prepare(HostNetwork network) {
    associations.responseOffer(4);
    network.addressTowards(InetAddress.getLoopbackAddress());
  }

  /**
   * Registers the gauges of this process's resources. The gauges of slots and connections are only
   * shown and refuse nothing, because sources share slots and connections.
   */
  private void watch(GistSettings gist) {
    Set<Work> everything = EnumSet.allOf(Work.class);
    overload.gauge("heap", heap::used, heap::limit, everything);
    overload.gauge(
        "controller-queue", controller::waiting, ControllerClient::waitingMax, everything);
    overload.gauge("requests", application::shared, () -> RequestTable.UNDER_WAY, Set.of());
    overload.gauge("reserve", application::reserved, () -> RequestTable.RESERVED, Set.of());
    overload.gauge("links", links::accepted, () -> files.links().acceptedMax(), Set.of());
    overload.gauge("states", () -> states(gistCounters.snapshot()), gist::statesMax, Set.of());
    links.refuseWhen(() -> overload.refusal(Work.CONNECTION).isPresent());
  }

  private void tick() {
    heap.refresh(timers.now());
    overload.tick(timers.now());
    timers.schedule(TICK_MILLIS, this::tick);
  }

  private static long states(Map<String, Long> gist) {
    return gist.get("states-querying") + gist.get("states-responding");
  }

  /**
   * Returns the first bytes of the SHA-256 of the certificate's public key. The certificate proves
   * this identity.
   */
  private static byte[] identity(NodeCertificate certificate) {
    return Arrays.copyOf(HexFormat.of().parseHex(certificate.fingerprint()), IDENTITY);
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "tls-handshakes");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Takes over the settings that can change while the node runs.
   *
   * @return whether other settings changed, too
   */
  boolean reload(SignalingFiles now) {
    boolean more = now.needsRestart(files);
    files = now;
    settings = now.application();
    peers.replace(now.peers(), now.anchors());
    return more;
  }

  /** Reports to the controller every two seconds. Interfaces may have come and gone since. */
  private void report() {
    settings = files.application();
    Map<String, Long> gist = gistCounters.snapshot();
    ObjectNode report = Json.object().put("op", "signaling-report");
    report
        .putObject("state")
        .put("sigio", sigio.connected() ? 1 : 0)
        .put("associations", associations.size())
        .put("routing-states", states(gist))
        .put("requests", application.underWay())
        .put("answers-kept", application.remembered());
    group(report, "gist", gist);
    group(report, "associations", associationCounters.snapshot());
    group(report, "nslp", counters.snapshot());
    group(report, "sigio", sigio.counters());
    report.set("load", LoadReport.of(overload.snapshot()));
    controller.report(report.put("publishers", publishers.tag()), this::answered);
    timers.schedule(REPORT_MILLIS, this::report);
  }

  private void answered(ObjectNode answer) {
    if (answer.has("publishers")) {
      publishers.replace(answer.path("publishers"));
    }
  }

  private static void group(ObjectNode report, String name, Map<String, Long> values) {
    ObjectNode group = report.putObject(name);
    values.forEach(group::put);
  }

  /** Closes all connections in order. Held packets go on by themselves. */
  void close() {
    associations.close();
    links.close();
    sigio.close();
    controller.close();
    handshakes.shutdown();
  }
}
