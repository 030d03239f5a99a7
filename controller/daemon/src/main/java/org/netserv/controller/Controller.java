// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.util.Map;
import java.util.Optional;
import org.netserv.controller.admin.AdminAssembly;
import org.netserv.controller.admin.AdminOps;
import org.netserv.controller.admin.ContainerStatus;
import org.netserv.controller.admin.NodeStatus;
import org.netserv.controller.admin.OperatorOps;
import org.netserv.controller.admin.SpawnerStats;
import org.netserv.controller.container.ContainerEvents;
import org.netserv.controller.container.Containers;
import org.netserv.controller.container.CounterPoll;
import org.netserv.controller.container.Misdeeds;
import org.netserv.controller.fastpath.Counting;
import org.netserv.controller.fastpath.FastPath;
import org.netserv.controller.isolation.Isolation;
import org.netserv.controller.job.BundleStore;
import org.netserv.controller.job.Jobs;
import org.netserv.controller.limit.LimitPoll;
import org.netserv.controller.limit.Limits;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.log.NcmLog;
import org.netserv.controller.log.Storage;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.module.Lifetimes;
import org.netserv.controller.module.ModuleWorkers;
import org.netserv.controller.module.Modules;
import org.netserv.controller.ncm.AuditLog;
import org.netserv.controller.ncm.Capacity;
import org.netserv.controller.ncm.HostLoad;
import org.netserv.controller.ncm.NcmAdmission;
import org.netserv.controller.ncm.NcmAssembly;
import org.netserv.controller.ncm.NcmLedger;
import org.netserv.controller.ncm.NcmService;
import org.netserv.controller.ncm.NodeFacts;
import org.netserv.controller.ncm.OrderFactory;
import org.netserv.controller.ncm.ProbeAnswers;
import org.netserv.controller.spawner.FirewallState;
import org.netserv.controller.spawner.Spawner;
import org.netserv.controller.spawner.SpawnerListener;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.controller.spawner.SpawnerRequest;
import org.netserv.ncm.Header;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.Sealed;
import org.netserv.policy.Quotas;
import org.netserv.values.NodeIdentity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects the parts of the controller, without its sockets and processes. Lives on the loop.
 * {@link ControllerMain} gives it the real world, tests give it a small one.
 *
 * <pre>
 *   admin, signaling --> AdminOps --> NcmService --> Modules --> Jobs ------> Spawner
 *                                         |             |  \---> FilterPlane -^  ^
 *                                       NcmLog      Containers ------------------+
 *                                                       ^---- agents
 * </pre>
 */
final class Controller implements SpawnerListener {
  private static final Logger LOG = LoggerFactory.getLogger(Controller.class);

  private final NodeSettings settings;
  private final Spawner spawner;
  private final Modules modules;
  private final Isolation isolation;
  private final FirewallState firewall;
  private final Containers containers;
  private final CounterPoll counters;
  private final LimitPoll limitPoll;
  private final Lifetimes lifetimes;
  private final NcmService service;
  private final Reconciler reconciler;
  private final AdminOps ops;
  private final FastPath fastPath;
  private final Misdeeds misdeeds = new Misdeeds();
  private final LoadWatch load;
  private boolean prepared;

  /** The surroundings of the controller, which its caller makes. */
  record World(
      Loop loop,
      NodeSettings settings,
      NcmLog log,
      AuditLog audit,
      Storage storage,
      Spawner spawner,
      BundleStore store,
      NodeIdentity identity,
      NodeFacts facts,
      HostLoad host) {}

  Controller(World world, Jobs jobs) {
    Loop loop = world.loop();
    settings = world.settings();
    load = new LoadWatch(loop);
    spawner = world.spawner();
    firewall = new FirewallState(loop);
    isolation = new Isolation(settings);
    fastPath = new FastPath(spawner, settings::fastPath);
    ContainerEvents events = new ContainerEvents();
    containers = new Containers(loop, spawner, settings, isolation, events);
    ModuleWorkers workers = new ModuleWorkers(spawner, containers, jobs, world.store());
    modules = new Modules(loop, world.log(), settings, firewall, workers);
    events.subscribe(modules.containerListener());
    counters = new CounterPoll(loop, containers);
    Limits limits = new Limits(loop, modules.limitListener());
    limitPoll = new LimitPoll(loop, spawner, containers, settings, limits);
    lifetimes = new Lifetimes(loop, world.log(), modules, this::use);
    Counting counting = new Counting(fastPath, modules::lives);
    OrderFactory orders =
        new OrderFactory(settings, text -> open(text, world.identity()), counting);
    NcmLedger ledger = new NcmLedger(loop, world.log(), settings, world.audit());
    service =
        new NcmAssembly(loop, settings, world.facts(), modules, jobs)
            .service(
                new NcmAdmission(settings, world.facts(), isolation, limits, counting),
                new ProbeAnswers(
                    loop, modules, settings, world.facts(), world.host(), isolation, fastPath),
                orders,
                new Capacity(world.storage(), load.overload(), () -> prepared, ledger),
                ledger);
    reconciler = new Reconciler(loop, world.log(), modules, orders, lifetimes, service);
    fastPath.whenChanged(reconciler::reauthorise);
    ops =
        new AdminAssembly(loop, service, settings, world.identity(), world.facts(), this::reload)
            .ops(
                new AdminAssembly.Reports(
                    new NodeStatus(
                        loop, world.facts(), isolation, firewall, fastPath, load.overload()),
                    new ContainerStatus(loop, containers, modules, counters, misdeeds, limits),
                    new SpawnerStats(spawner, () -> prepared),
                    jobs),
                modules,
                containers,
                new OperatorOps(loop, modules, world.log(), world.audit()));
  }

  private static Map<String, String> open(String text, NodeIdentity identity) throws NcmException {
    Map<String, String> properties = Sealed.decrypt(text, identity);
    if (properties == null) {
      throw new NcmException(403, Header.SEALED, "not sealed to this node");
    }
    return properties;
  }

  /**
   * Restores the modules of the log and starts the timers. Called once, before anything comes in.
   */
  void start() {
    reconciler.restore();
    lifetimes.start();
    service.start();
    counters.start();
    limitPoll.start();
    load.start();
  }

  /**
   * Returns a number that grows with each packet of the module. It also grows with packets for the
   * servers of its publisher, and with packets that the kernel counts for the publisher.
   */
  private long use(ModuleKey module) {
    return counters.lastPacket(module) + limitPoll.packetsPast(module.user());
  }

  /** Loads policy again and applies it. Returns the mistake in the files, if there is one. */
  Optional<String> reload() {
    Optional<String> wrong = settings.reload();
    if (wrong.isPresent()) {
      LOG.error("reload: {}; the old policy stays", wrong.get());
      return wrong;
    }
    LOG.info("policy loaded again");
    reconciler.reauthorise();
    isolation.say();
    containers.review();
    if (prepared) {
      fastPath.order();
      orderSpares();
      modules.rewriteFilters(); // A publisher's plane is part of its filters.
      modules.reviewStandby();
    }
    return Optional.empty();
  }

  @Override
  public void connected() {
    spawner.request(
        SpawnerRequest.prepare(
            settings.setSysctl(),
            settings.interfaces(),
            settings.packetProcessors(),
            settings.containerPrefixes()),
        reply -> {
          if (!reply.ok()) {
            LOG.error("spawner: prepare: {}", reply.reason());
            return;
          }
          reply.list("warnings").forEach(w -> LOG.warn("spawner: {}", w));
          isolation.prepared(reply.values());
          firewall.changed(reply.values());
          fastPath.prepared(reply.values());
          orderSpares();
          spawner.request(SpawnerRequest.list(), this::listed);
        });
  }

  /** Orders spare containers and spare jobs. Without them, each is started when it is needed. */
  private void orderSpares() {
    spawner.request(
        SpawnerRequest.spares(settings.spares(), Quotas.DEFAULTS),
        reply -> {
          if (!reply.ok()) {
            LOG.warn("spawner: no spares: {}", reply.reason());
          }
        });
    spawner.request(
        SpawnerRequest.spareJobs(settings.spareJobs(), settings.memoryMib(), settings.fetchPorts()),
        reply -> {
          if (!reply.ok()) {
            LOG.warn("spawner: no spare jobs: {}", reply.reason());
          }
        });
  }

  private void listed(SpawnerReply reply) {
    if (!reply.ok()) {
      LOG.error("spawner: list: {}", reply.reason());
      return;
    }
    prepared = true;
    containers.spawnerReady(reply.containers());
    modules.fetched().resume();
    modules.rewriteFilters();
  }

  @Override
  public void disconnected() {
    prepared = false;
    firewall.lost();
    containers.spawnerLost();
  }

  @Override
  public void event(String name, Map<String, String> values) {
    switch (name) {
      case "fastpath" -> fastPath.changed(values);
      case "firewall" -> firewall.changed(values);
      default -> containers.spawnerEvent(name, values);
    }
  }

  AdminOps ops() {
    return ops;
  }

  Misdeeds misdeeds() {
    return misdeeds;
  }

  LoadWatch load() {
    return load;
  }

  NcmService service() {
    return service;
  }

  Containers containers() {
    return containers;
  }

  Modules modules() {
    return modules;
  }

  Lifetimes lifetimes() {
    return lifetimes;
  }
}
