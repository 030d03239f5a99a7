// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.netserv.controller.isolation.Isolation;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.spawner.ContainerSpec;
import org.netserv.controller.spawner.Spawner;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.controller.spawner.SpawnerRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out {@link ContainerMachine} for all publishers. Talks to the spawner and the agents, and
 * tells the modules.
 */
public final class Containers implements AgentListener {
  private static final Logger LOG = LoggerFactory.getLogger(Containers.class);

  static final long HELLO_MILLIS = 20_000;
  static final int GRACE = 3_000;

  private static final long LOSS_MILLIS = 1_000;

  private final Loop loop;
  private final Spawner spawner;
  private final ContainerOrders orders;
  private final Isolation isolation;
  private final ContainerListener listener;
  private final ContainerList containers;
  private final ContainerFaults faults;
  private final AgentLinks links;
  private final AgentPulse pulse;
  private boolean prepared;

  public Containers(
      Loop loop,
      Spawner spawner,
      ContainerOrders orders,
      Isolation isolation,
      ContainerListener listener) {
    this.loop = loop;
    this.spawner = spawner;
    this.orders = orders;
    this.isolation = isolation;
    this.listener = listener;
    this.containers = new ContainerList(orders);
    this.faults = new ContainerFaults(loop, listener);
    this.links = new AgentLinks(containers, orders, spawner, faults, listener, this::fire);
    this.pulse =
        new AgentPulse(loop, (container, why) -> fire(container, ContainerEvent.UNRESPONSIVE, why));
  }

  /**
   * Requests the container for a module of this publisher. {@link ContainerListener} hears when it
   * is there.
   */
  public void need(String user) {
    fire(containers.of(user), ContainerEvent.NEED, "a module needs it");
  }

  /**
   * Releases the container, because its last module has gone. {@code gone} runs when the container
   * has gone, or at once if there is none.
   */
  public void release(String user, Runnable gone) {
    Container container = containers.of(user);
    container.gone.add(gone);
    fire(container, ContainerEvent.RELEASE, "its last module has gone");
  }

  /**
   * Ends the relays that the kernel keeps for the next start of a container that has died, because
   * a module that may have asked for them is not wanted any more, or not trusted. The kernel does
   * not know the modules of a container, so all of its relays end.
   */
  public void forgetRelays(String user) {
    containers.find(user).ifPresent(this::forgetRelays);
  }

  private void forgetRelays(Container container) {
    if (!container.died) {
      return;
    }
    container.died = false;
    spawner.request(
        SpawnerRequest.forget(container.user),
        reply -> {
          if (!reply.ok()) {
            LOG.warn("container {}: forget: {}", container.user, reply.reason());
          }
        });
  }

  /** Returns the agent, while the container is ready. */
  public Optional<Agent> agent(String user) {
    return containers
        .find(user)
        .filter(container -> container.state == ContainerState.READY)
        .map(container -> container.agent);
  }

  /**
   * Stops the container with a dump and starts it again, because it has misbehaved in a way that
   * its agent's silence does not show.
   */
  public void restart(String user, String why) {
    fire(containers.of(user), ContainerEvent.UNRESPONSIVE, why);
  }

  public List<Container> all() {
    return containers.all().stream().filter(c -> c.state != ContainerState.IDLE).toList();
  }

  /** Returns the number of spares with an agent that waits. */
  public int sparesWaiting() {
    return links.waiting();
  }

  /**
   * Hears that the spawner is connected and prepared.
   *
   * @param listed the containers that live, and their uids; 0 = as policy says
   */
  public void spawnerReady(Map<String, Long> listed) {
    prepared(true);
    // Containers that have ended unheard come first, because another container may have the uid by
    // now.
    containers.all().stream()
        .filter(c -> c.uid != listed.getOrDefault(c.user, 0L))
        .forEach(links::ranAs);
    listed.forEach(
        (user, uid) -> {
          fire(containers.of(user), ContainerEvent.LISTED, "the spawner has it");
          links.runsAs(containers.of(user), uid);
          links.confirm(uid);
        });
    for (Container container : containers.all()) {
      if (!listed.containsKey(container.user)) {
        boolean waiting = container.state == ContainerState.BACKOFF;
        String why = waiting ? "the spawner is back" : "the spawner does not have it";
        fire(container, waiting ? ContainerEvent.BACKOFF_OVER : ContainerEvent.EXITED, why);
      }
    }
    review();
  }

  private void prepared(boolean isPrepared) {
    prepared = isPrepared;
    links.prepared(isPrepared);
  }

  /**
   * Stops containers that must not run as they are, and starts containers that may run now. Called
   * when policy, or the abilities of the machine, may have changed.
   */
  public void review() {
    for (Container container : containers.all()) {
      Optional<String> refusal =
          isolation
              .refusal(container.user)
              .or(() -> isolation.refusal(container.user, container.without));
      if (refusal.isPresent()) {
        stopUnfit(container, refusal.get());
      } else if (container.state == ContainerState.BACKOFF && container.held) {
        fire(container, ContainerEvent.BACKOFF_OVER, "policy lets it run now");
      }
    }
  }

  private void stopUnfit(Container container, String why) {
    boolean runs =
        container.state == ContainerState.GREETING || container.state == ContainerState.READY;
    if (runs) {
      container.unfit = why;
      fire(container, ContainerEvent.UNFIT, why);
    }
  }

  /**
   * Hears that the connection to the spawner is gone. Containers may live on, or have died with it.
   * The spawner's next list tells.
   */
  public void spawnerLost() {
    prepared(false);
  }

  /** Takes an event of the spawner about a container. */
  public void spawnerEvent(String name, Map<String, String> values) {
    Optional<Container> known = containers.find(values.getOrDefault("container", ""));
    if (known.isEmpty()) {
      LOG.warn("spawner: event {} about an unknown container: {}", name, values);
      return;
    }
    Container container = known.get();
    if (!name.equals("report")) {
      LOG.info("container {}: {} {}", container.user, name, values);
    }
    switch (name) {
      case "exited" -> {
        links.ranAs(container);
        container.died = true;
        fire(container, ContainerEvent.EXITED, exitText(values));
      }
      case "report" -> faults.reported(container, values.getOrDefault("text", ""));
      case "pktio-started" -> container.pktio = new SpawnerReply(true, values, "").number("pid", 0);
      case "pktio-exited", "pktio-hung" -> container.why = name + " " + values;
      default -> LOG.warn("spawner: unknown event {}", name);
    }
  }

  private static String exitText(Map<String, String> values) {
    String oom = values.getOrDefault("oom", "0").equals("1") ? ", out of memory" : "";
    return "ended with "
        + values.getOrDefault("status", "?")
        + oom
        + ", packets held "
        + values.getOrDefault("held", "?");
  }

  @Override
  public void greeted(long uid, Agent agent, AgentHello hello) {
    links.greeted(uid, agent, hello);
  }

  @Override
  public void event(long uid, Agent agent, AgentEvent event) {
    links.event(uid, agent, event);
  }

  @Override
  public void unasked(long uid, Agent agent) {
    links.unasked(uid, agent);
  }

  @Override
  public void lost(long uid, Agent agent, String why) {
    links.lost(uid, agent, why);
  }

  @Override
  public void misused(long uid, String why) {
    links.misused(uid, why);
  }

  private void fire(Container container, ContainerEvent event, String why) {
    ContainerMachine.Step step = ContainerMachine.on(container.state, event);
    if (step.action() == ContainerAction.UNEXPECTED) {
      LOG.warn("container {}: {} in state {}: {}", container.user, event, container.state, why);
      return;
    }
    if (step.next() != container.state) {
      LOG.info("container {}: {} -> {}: {}", container.user, container.state, step.next(), why);
      container.cancelTimer();
      container.why = why;
    }
    container.state = step.next();
    act(container, step.action(), why);
  }

  private void act(Container container, ContainerAction action, String why) {
    switch (action) {
      case START -> start(container);
      case AWAIT_HELLO -> awaitHello(container);
      case LINK_UP -> linkUp(container);
      case LINK_DOWN -> {
        pulse.stop(container);
        awaitHello(container);
        loseSoon(container, why);
      }
      case STOP -> stop(container, false);
      case STOP_WITH_DUMP -> {
        stop(container, true);
        lose(container, why);
      }
      case STOP_UNFIT -> {
        stop(container, false);
        lose(container, why);
      }
      case BACK_OFF -> backOff(container, why);
      case FORGET -> forget(container);
      case NOTHING, UNEXPECTED -> {}
    }
  }

  private void start(Container container) {
    Optional<ContainerSpec> spec = orders.start(container.user);
    if (prepared && spec.isEmpty()) {
      forgetRelays(container);
    }
    if (!prepared || spec.isEmpty()) {
      fire(
          container,
          ContainerEvent.START_FAILED,
          prepared ? "policy does not know it" : "the spawner is not there");
      return;
    }
    Optional<String> refusal = isolation.refusal(container.user);
    container.held = refusal.isPresent();
    if (container.held) {
      forgetRelays(container);
      fire(container, ContainerEvent.START_FAILED, refusal.get());
      return;
    }
    container.starts++;
    container.without = Set.of();
    spawner.request(
        SpawnerRequest.start(spec.get()),
        reply -> {
          if (!reply.ok() && reply.reason().equals("exists")) {
            exists(container, reply);
            return;
          }
          started(container, reply, reply.number("uid", 0));
          links.adopt(container);
        });
  }

  /**
   * Completes a start that the spawner answers with {@code exists}, because an earlier answer was
   * lost. Only the spawner's list tells the container's uid.
   */
  private void exists(Container container, SpawnerReply start) {
    spawner.request(
        SpawnerRequest.list(),
        list -> {
          long uid = list.containers().getOrDefault(container.user, 0L);
          started(container, SpawnerReply.done(start.values()), uid);
          links.confirm(uid);
        });
  }

  private void started(Container container, SpawnerReply reply, long uid) {
    container.pid = reply.number("pid", container.pid);
    container.pktio = reply.number("pktio", container.pktio);
    container.without = Isolation.names(reply.values().getOrDefault("missing", ""));
    links.runsAs(container, uid);
    fire(
        container,
        reply.ok() ? ContainerEvent.STARTED : ContainerEvent.START_FAILED,
        reply.ok()
            ? container.spare ? "started from a spare" : "started"
            : "start: " + reply.reason());
    // The container may lack a layer, or policy may have come to demand one meanwhile.
    isolation
        .refusal(container.user, container.without)
        .ifPresent(why -> stopUnfit(container, why));
  }

  private void awaitHello(Container container) {
    container.cancelTimer();
    container.timer =
        loop.after(
            HELLO_MILLIS,
            () ->
                fire(
                    container,
                    ContainerEvent.HELLO_TIMEOUT,
                    "no hello in " + HELLO_MILLIS + " ms"));
  }

  private void linkUp(Container container) {
    container.cancelTimer();
    if (container.readySince < 0) {
      container.readySince = loop.monotonic();
    }
    if (container.loss != null) {
      // Requests under way on the old connection will not be answered any more.
      lose(container, container.loss);
    }
    pulse.start(container);
    Map<String, String> running = new LinkedHashMap<>();
    for (AgentHello.Module module : container.hello.modules()) {
      // A quarantined module is there, too. The listener hears of the quarantine after this.
      running.put(module.name(), module.sha256());
    }
    listener.ready(container.user, running);
    for (AgentHello.Module module : container.hello.modules()) {
      if (module.quarantined()) {
        faults.quarantined(container, module.name(), module.sha256(), module.reason());
      }
    }
  }

  /**
   * Delays the news of a lost connection. The connection mostly ends with the container. The
   * container's exit, and the report about it, follow a moment later and tell modules and people
   * more.
   */
  private void loseSoon(Container container, String why) {
    container.loss = why;
    container.lossTimer = loop.after(LOSS_MILLIS, () -> lose(container, why));
  }

  private void lose(Container container, String why) {
    if (container.lossTimer != null) {
      container.lossTimer.cancel();
    }
    container.lossTimer = null;
    container.loss = null;
    listener.lost(container.user, why);
  }

  private void stop(Container container, boolean dump) {
    dropLink(container);
    spawner.request(
        SpawnerRequest.stop(container.user, GRACE, dump),
        reply -> {
          String why = container.unfit.isEmpty() ? "stopped" : container.unfit;
          container.unfit = "";
          if (reply.ok()) {
            links.ranAs(container);
          }
          fire(container, ContainerEvent.STOPPED, reply.ok() ? why : "stop: " + reply.reason());
        });
  }

  private void backOff(Container container, String why) {
    boolean wasReady = container.readySince >= 0;
    dropLink(container);
    long wait = container.nextBackoff(loop.monotonic());
    container.timer =
        loop.after(wait, () -> fire(container, ContainerEvent.BACKOFF_OVER, "back-off over"));
    runGone(container);
    if (wasReady) {
      lose(container, why);
    } else if (prepared) {
      // Without a spawner nothing is known about the container. Modules wait as long as they can.
      listener.failed(container.user, why);
    }
  }

  private void forget(Container container) {
    forgetRelays(container);
    dropLink(container);
    container.readySince = -1;
    container.backoff = Container.SOON;
    container.pid = 0;
    container.pktio = 0;
    container.starts = 0;
    runGone(container);
  }

  private void dropLink(Container container) {
    pulse.stop(container);
    Agent agent = container.agent;
    container.agent = null;
    if (agent != null) {
      agent.close();
    }
  }

  private void runGone(Container container) {
    List<Runnable> gone = List.copyOf(container.gone);
    container.gone.clear();
    gone.forEach(Runnable::run);
  }
}
