// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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
  private final Map<String, Container> containers = new TreeMap<>();
  private final SpareAgents spares = new SpareAgents(this::confirm);
  private final ContainerFaults faults;
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
    this.faults = new ContainerFaults(loop, listener);
    this.pulse =
        new AgentPulse(loop, (container, why) -> fire(container, ContainerEvent.UNRESPONSIVE, why));
  }

  /**
   * Requests the container for a module of this publisher. {@link ContainerListener} hears when it
   * is there.
   */
  public void need(String user) {
    fire(of(user), ContainerEvent.NEED, "a module needs it");
  }

  /**
   * Releases the container, because its last module has gone. {@code gone} runs when the container
   * has gone, or at once if there is none.
   */
  public void release(String user, Runnable gone) {
    Container container = of(user);
    container.gone.add(gone);
    fire(container, ContainerEvent.RELEASE, "its last module has gone");
  }

  /** Returns the agent, while the container is ready. */
  public Optional<Agent> agent(String user) {
    Container container = containers.get(user);
    return container == null || container.state != ContainerState.READY
        ? Optional.empty()
        : Optional.of(container.agent);
  }

  /**
   * Stops the container with a dump and starts it again, because it has misbehaved in a way that
   * its agent's silence does not show.
   */
  public void restart(String user, String why) {
    fire(of(user), ContainerEvent.UNRESPONSIVE, why);
  }

  public List<Container> all() {
    return containers.values().stream().filter(c -> c.state != ContainerState.IDLE).toList();
  }

  /** Returns the number of spares with an agent that waits. */
  public int sparesWaiting() {
    return spares.count();
  }

  /**
   * Hears that the spawner is connected and prepared.
   *
   * @param listed the containers that live, and their uids; 0 = as policy says
   */
  public void spawnerReady(Map<String, Long> listed) {
    prepared = true;
    // Containers that have ended unheard come first, because another container may have the uid by
    // now.
    containers.values().stream()
        .filter(c -> c.uid != listed.getOrDefault(c.user, 0L))
        .forEach(this::ranAs);
    listed.forEach(
        (user, uid) -> {
          fire(of(user), ContainerEvent.LISTED, "the spawner has it");
          runsAs(of(user), uid);
          spares.find(uid).ifPresent(this::confirm);
        });
    for (Container container : new ArrayList<>(containers.values())) {
      if (!listed.containsKey(container.user)) {
        boolean waiting = container.state == ContainerState.BACKOFF;
        String why = waiting ? "the spawner is back" : "the spawner does not have it";
        fire(container, waiting ? ContainerEvent.BACKOFF_OVER : ContainerEvent.EXITED, why);
      }
    }
    review();
  }

  /**
   * Stops containers that must not run as they are, and starts containers that may run now. Called
   * when policy, or the abilities of the machine, may have changed.
   */
  public void review() {
    for (Container container : new ArrayList<>(containers.values())) {
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
    prepared = false;
  }

  /** Takes an event of the spawner about a container. */
  public void spawnerEvent(String name, Map<String, String> values) {
    Container container = containers.get(values.getOrDefault("container", ""));
    if (container == null) {
      LOG.warn("spawner: event {} about an unknown container: {}", name, values);
      return;
    }
    if (!name.equals("report")) {
      LOG.info("container {}: {} {}", container.user, name, values);
    }
    switch (name) {
      case "exited" -> {
        ranAs(container);
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
    if (orders.isSpare(uid)) {
      spares.add(uid, agent, hello);
      return;
    }
    Optional<String> user = userOf(uid);
    if (user.isEmpty()) {
      LOG.warn("agent with uid {} belongs to no publisher: closed", uid);
      agent.close();
      return;
    }
    greets(of(user.get()), new SpareAgents.Greeting(uid, agent, hello, List.of()));
  }

  /**
   * Returns the publisher of a uid. Policy decides if the spawner has not reported the container's
   * uid.
   */
  private Optional<String> userOf(long uid) {
    return runningAs(uid)
        .map(c -> c.user)
        .or(() -> orders.userOf(uid).filter(u -> !containers.containsKey(u) || of(u).uid == 0));
  }

  private Optional<Container> runningAs(long uid) {
    return containers.values().stream().filter(c -> uid != 0 && c.uid == uid).findFirst();
  }

  /**
   * Gives the agent of a slot to the container that runs under its uid. First asks the spawner for
   * its list, so that earlier news of the spawner has been heard by then. The container may have
   * ended meanwhile, and the slot is then a spare's again. The agent of a slot without a container
   * waits for a start or, while the spawner is away, for its list.
   */
  private void confirm(SpareAgents.Greeting greeting) {
    if (!prepared || runningAs(greeting.uid()).isEmpty()) {
      return;
    }
    spawner.request(
        SpawnerRequest.list(),
        reply -> {
          Optional<Container> container = runningAs(greeting.uid());
          if (!reply.ok()) {
            spares.close(greeting.agent(), "the spawner does not say whose it is");
          } else if (container.isPresent() && spares.remove(greeting.agent())) {
            greets(container.get(), greeting);
          }
        });
  }

  /**
   * Takes the agent of the spare that has become this container, if the agent has greeted already.
   */
  private void adopt(Container container) {
    spares
        .find(container.uid)
        .ifPresent(
            greeting -> {
              if (!greeting.hello().modules().isEmpty()) {
                spares.close(greeting.agent(), "a spare that has modules");
              } else if (spares.remove(greeting.agent())) {
                greets(container, greeting);
              }
            });
  }

  private void greets(Container container, SpareAgents.Greeting greeting) {
    Agent agent = greeting.agent();
    if (container.state == ContainerState.STOPPING
        || container.state == ContainerState.RESTARTING) {
      agent.close();
      return;
    }
    if (container.agent != null && container.agent != agent) {
      container.agent.close();
      container.loss = "connected a second time";
    }
    container.agent = agent;
    container.agentUid = greeting.uid();
    container.hello = greeting.hello();
    fire(container, ContainerEvent.HELLO, "its agent greets");
    greeting.events().forEach(event -> event(greeting.uid(), agent, event));
  }

  /**
   * Reserves a uid for this container. From now on agents of this uid are this container's alone.
   */
  private void runsAs(Container container, long uid) {
    boolean lives =
        container.state != ContainerState.IDLE && container.state != ContainerState.BACKOFF;
    if (uid <= 0 || uid == container.uid || !lives) {
      return;
    }
    runningAs(uid)
        .ifPresent(
            other -> {
              LOG.warn(
                  "container {}: its uid {} is that of {} now", other.user, uid, container.user);
              ranAs(other);
              cutLink(other, "its uid is another's");
            });
    container.uid = uid;
    container.spare = orders.isSpare(uid);
    if (container.agentUid != uid) {
      cutLink(container, "connected under another uid");
    }
  }

  /** Frees the uid of a container that has ended, by the spawner's word. */
  private void ranAs(Container container) {
    if (container.uid != 0) {
      spares.clear(container.uid);
    }
    container.uid = 0;
    container.spare = false;
  }

  private void cutLink(Container container, String why) {
    if (container.agent != null) {
      container.agent.close();
      linkLost(container, why);
    }
  }

  @Override
  public void event(long uid, Agent agent, AgentEvent event) {
    if (!spares.has(agent)) {
      of(agent).ifPresent(container -> faults.told(container, event));
    } else if (prepared && runningAs(uid).isEmpty()) {
      spares.close(agent, "it speaks unasked");
    } else {
      spares.said(agent, event);
    }
  }

  @Override
  public void unasked(long uid, Agent agent) {
    spares.close(agent, "it answers what nobody asked");
  }

  @Override
  public void misused(long uid, String why) {
    Optional<Container> container = userOf(uid).map(containers::get);
    boolean runs =
        container.isPresent()
            && (container.get().state == ContainerState.GREETING
                || container.get().state == ContainerState.READY);
    if (runs) {
      fire(container.get(), ContainerEvent.UNRESPONSIVE, why);
      listener.fault(container.get().user, "misuse", "-", why);
    }
  }

  /**
   * Finds the container by its connection, not by the uid, because a connection that lingers is no
   * longer the container's.
   */
  private Optional<Container> of(Agent agent) {
    return containers.values().stream().filter(c -> c.agent == agent).findFirst();
  }

  @Override
  public void lost(long uid, Agent agent, String why) {
    spares.remove(agent);
    of(agent).ifPresent(c -> linkLost(c, why));
  }

  private void linkLost(Container container, String why) {
    container.agent = null;
    fire(container, ContainerEvent.LINK_LOST, why);
  }

  private Container of(String user) {
    return containers.computeIfAbsent(user, Container::new);
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
          adopt(container);
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
          spares.find(uid).ifPresent(this::confirm);
        });
  }

  private void started(Container container, SpawnerReply reply, long uid) {
    container.pid = reply.number("pid", container.pid);
    container.pktio = reply.number("pktio", container.pktio);
    container.without = Isolation.names(reply.values().getOrDefault("missing", ""));
    runsAs(container, uid);
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
            ranAs(container);
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
    dropLink(container);
    container.readySince = -1;
    container.backoff = Container.FIRST_BACKOFF;
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
