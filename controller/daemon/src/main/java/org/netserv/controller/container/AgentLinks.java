// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.List;
import java.util.Optional;
import org.netserv.controller.spawner.Spawner;
import org.netserv.controller.spawner.SpawnerRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the container of each agent that greets. The kernel tells an agent's uid, and the spawner
 * tells which container runs under it. On the loop.
 */
final class AgentLinks implements AgentListener {
  private static final Logger LOG = LoggerFactory.getLogger(AgentLinks.class);

  private final ContainerList containers;
  private final ContainerOrders orders;
  private final Spawner spawner;
  private final ContainerFaults faults;
  private final ContainerListener listener;
  private final ContainerInput input;
  private final SpareAgents spares = new SpareAgents(this::confirm);
  private boolean prepared;

  /**
   * Has no agents.
   *
   * @param input hears that an agent greets, is lost, or misbehaves
   */
  AgentLinks(
      ContainerList containers,
      ContainerOrders orders,
      Spawner spawner,
      ContainerFaults faults,
      ContainerListener listener,
      ContainerInput input) {
    this.containers = containers;
    this.orders = orders;
    this.spawner = spawner;
    this.faults = faults;
    this.listener = listener;
    this.input = input;
  }

  /** Hears whether the spawner is connected and prepared. */
  void prepared(boolean isPrepared) {
    prepared = isPrepared;
  }

  /** Returns the number of spares with an agent that waits. */
  int waiting() {
    return spares.count();
  }

  @Override
  public void greeted(long uid, Agent agent, AgentHello hello) {
    if (orders.isSpare(uid)) {
      spares.add(uid, agent, hello);
      return;
    }
    Optional<String> user = containers.userOf(uid);
    if (user.isEmpty()) {
      LOG.warn("agent with uid {} belongs to no publisher: closed", uid);
      agent.close();
      return;
    }
    greets(containers.of(user.get()), new SpareAgents.Greeting(uid, agent, hello, List.of()));
  }

  /** Confirms the agent that waits under a uid, if there is one. */
  void confirm(long uid) {
    spares.find(uid).ifPresent(this::confirm);
  }

  /**
   * Gives the agent of a slot to the container that runs under its uid. First asks the spawner for
   * its list, so that earlier news of the spawner has been heard by then. The container may have
   * ended meanwhile, and the slot is then a spare's again. The agent of a slot without a container
   * waits for a start or, while the spawner is away, for its list.
   */
  private void confirm(SpareAgents.Greeting greeting) {
    if (!prepared || containers.runningAs(greeting.uid()).isEmpty()) {
      return;
    }
    spawner.request(
        SpawnerRequest.list(),
        reply -> {
          Optional<Container> container = containers.runningAs(greeting.uid());
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
  void adopt(Container container) {
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
    input.fire(container, ContainerEvent.HELLO, "its agent greets");
    greeting.events().forEach(event -> event(greeting.uid(), agent, event));
  }

  /**
   * Reserves a uid for this container. From now on agents of this uid are this container's alone.
   */
  void runsAs(Container container, long uid) {
    boolean lives =
        container.state != ContainerState.IDLE && container.state != ContainerState.BACKOFF;
    if (uid <= 0 || uid == container.uid || !lives) {
      return;
    }
    containers
        .runningAs(uid)
        .ifPresent(
            other -> {
              LOG.warn(
                  "container {}: its uid {} is that of {} now", other.user, uid, container.user);
              ranAs(other);
              cut(other, "its uid is another's");
            });
    container.uid = uid;
    container.spare = orders.isSpare(uid);
    if (container.agentUid != uid) {
      cut(container, "connected under another uid");
    }
  }

  /** Frees the uid of a container that has ended, by the spawner's word. */
  void ranAs(Container container) {
    if (container.uid != 0) {
      spares.clear(container.uid);
    }
    container.uid = 0;
    container.spare = false;
  }

  private void cut(Container container, String why) {
    if (container.agent != null) {
      container.agent.close();
      lost(container, why);
    }
  }

  @Override
  public void event(long uid, Agent agent, AgentEvent event) {
    if (!spares.has(agent)) {
      containers.of(agent).ifPresent(container -> faults.told(container, event));
    } else if (prepared && containers.runningAs(uid).isEmpty()) {
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
    Optional<Container> container = containers.userOf(uid).flatMap(containers::find);
    boolean runs =
        container.isPresent()
            && (container.get().state == ContainerState.GREETING
                || container.get().state == ContainerState.READY);
    if (runs) {
      input.fire(container.get(), ContainerEvent.UNRESPONSIVE, why);
      listener.fault(container.get().user, "misuse", "-", why);
    }
  }

  @Override
  public void lost(long uid, Agent agent, String why) {
    spares.remove(agent);
    containers.of(agent).ifPresent(container -> lost(container, why));
  }

  private void lost(Container container, String why) {
    container.agent = null;
    input.fire(container, ContainerEvent.LINK_LOST, why);
  }
}
