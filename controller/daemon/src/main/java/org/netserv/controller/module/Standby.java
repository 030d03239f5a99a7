// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.netserv.controller.container.Agent;
import org.netserv.controller.container.AgentOrder;
import org.netserv.controller.container.AgentReply;
import org.netserv.controller.container.Containers;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.loop.Loop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has containers hold fetched bundles installed and resolved, so that a SETUP only has to start
 * them. No code of such a bundle runs. A bundle that cannot be held is fetched all the same, and
 * its SETUP takes longer. On the loop.
 *
 * <pre>
 *   bundle is fetched --> container, if not too many are there for this alone
 *                     --> its agent: prepare --> held --> SETUP takes it
 *   bundle is dropped --> its agent: uninstall --> container released, if no module is there
 * </pre>
 */
final class Standby {
  private static final Logger LOG = LoggerFactory.getLogger(Standby.class);

  /** Bundles that one container holds, as many as its agent takes. */
  static final int MOST = 4;

  /** Ends of a container that holds bundles alone, after which it is not started again. */
  static final int ENDS = 3;

  private final Loop loop;
  private final ModuleTable table;
  private final Containers containers;
  private final StoredBundles store;
  private final FetchedBundles fetched;
  private final ModuleSettings settings;

  /** By publisher, the oldest first. */
  private final Map<String, Place> places = new LinkedHashMap<>();

  /** Digests of bundles that an agent has refused, by publisher, until its bundles are others. */
  private final Map<String, Set<String>> refused = new HashMap<>();

  /** The container of a publisher, as far as it holds bundles. */
  private static final class Place {
    private Agent agent;

    /** Digests by module, as the agent has said. */
    private final Map<String, String> held = new HashMap<>();

    private final Set<String> asked = new HashSet<>();
    private int ends;

    private boolean givenUp() {
      return ends >= ENDS;
    }
  }

  Standby(
      Loop loop,
      ModuleTable table,
      Containers containers,
      StoredBundles store,
      FetchedBundles fetched,
      ModuleSettings settings) {
    this.loop = loop;
    this.table = table;
    this.containers = containers;
    this.store = store;
    this.fetched = fetched;
    this.settings = settings;
  }

  /** Hears that the publisher's fetched bundles are others. What has failed is tried again. */
  void changed(String user) {
    refused.remove(user);
    if (places.containsKey(user)) {
      places.get(user).ends = 0;
    }
    review(user);
  }

  /** Looks at all publishers, because policy may be another, or a place is free. */
  void review() {
    Set<String> users = new TreeSet<>(places.keySet());
    fetched.all().forEach(kept -> users.add(kept.order().key().user()));
    users.forEach(this::review);
  }

  /** Prepares and drops bundles of one publisher, as its fetched bundles and its modules want. */
  void review(String user) {
    List<FetchedBundles.Kept> wanted = wanted(user);
    if (wanted.isEmpty() || !granted(user)) {
      end(user);
      return;
    }
    Place place = places.computeIfAbsent(user, u -> new Place());
    Optional<Agent> agent = containers.agent(user);
    if (place.agent != agent.orElse(null)) {
      forget(user, place);
      place.agent = agent.orElse(null);
    }
    if (agent.isPresent()) {
      hold(user, place, wanted);
    } else if (table.livesOf(user).isEmpty() && !place.givenUp()) {
      containers.need(user);
    }
  }

  /** Returns true if the publisher's container is to stay although no module is there. */
  boolean keeps(String user) {
    return Optional.ofNullable(places.get(user)).filter(place -> !place.givenUp()).isPresent();
  }

  /** Hears that the container has ended, or could not be started. */
  void lost(String user) {
    Place place = places.get(user);
    if (place == null) {
      return;
    }
    forget(user, place);
    if (table.livesOf(user).isEmpty() && !place.givenUp() && ++place.ends == ENDS) {
      LOG.warn(
          "container {}: holds no fetched bundles any more: it has ended {} times", user, ENDS);
      containers.release(user, () -> {});
      loop.execute(this::review);
    }
  }

  /** Takes a bundle out, because its module is to be installed now. Returns true if it is held. */
  boolean take(ModuleKey key, String sha256, Agent agent) {
    Place place = places.get(key.user());
    if (place == null || place.agent != agent) {
      return false;
    }
    fetched.held(key, false);
    return sha256.equals(place.held.remove(key.module()));
  }

  private List<FetchedBundles.Kept> wanted(String user) {
    Set<String> bad = refused.getOrDefault(user, Set.of());
    return settings.standby() == 0
        ? List.of()
        : fetched.ready(user).stream()
            .filter(kept -> table.livesOf(kept.order().key()).isEmpty())
            .filter(kept -> !bad.contains(digest(kept)))
            .limit(MOST)
            .toList();
  }

  /** Counts the containers that were there before for bundles alone. */
  private boolean granted(String user) {
    int before = 0;
    for (Map.Entry<String, Place> other : places.entrySet()) {
      if (other.getKey().equals(user)) {
        break;
      }
      before += !other.getValue().givenUp() && table.livesOf(other.getKey()).isEmpty() ? 1 : 0;
    }
    return before < settings.standby() || !table.livesOf(user).isEmpty();
  }

  private void hold(String user, Place place, List<FetchedBundles.Kept> wanted) {
    Map<String, String> digests = new HashMap<>();
    wanted.forEach(kept -> digests.put(kept.order().key().module(), digest(kept)));
    for (Map.Entry<String, String> held : Map.copyOf(place.held).entrySet()) {
      if (!held.getValue().equals(digests.get(held.getKey()))) {
        drop(new ModuleKey(user, held.getKey()), place);
      }
    }
    for (FetchedBundles.Kept kept : wanted) {
      String module = kept.order().key().module();
      if (!place.held.containsKey(module) && place.asked.add(digest(kept))) {
        prepare(place, kept);
      }
    }
  }

  private void prepare(Place place, FetchedBundles.Kept kept) {
    ModuleOrder order = kept.order();
    String sha256 = digest(kept);
    Path jar = store.path(sha256);
    Agent agent = place.agent;
    try {
      agent.change(
          AgentOrder.prepare(
              order.key().module(),
              new AgentOrder.Bundle(order.version(), sha256, Files.size(jar))),
          jar,
          ModuleSteps.INSTALL_MILLIS,
          reply -> {
            if (places.get(order.key().user()) == place && place.agent == agent) {
              answered(place, order.key(), sha256, reply);
            }
          });
    } catch (IOException e) {
      LOG.warn("stored bundle: {}", e.getMessage());
      refuse(order.key(), sha256);
    }
  }

  private void refuse(ModuleKey key, String sha256) {
    refused.computeIfAbsent(key.user(), user -> new HashSet<>()).add(sha256);
  }

  private void answered(Place place, ModuleKey key, String sha256, AgentReply reply) {
    place.asked.remove(sha256);
    if (reply.ok()) {
      // Of two bundles of a module the agent has the later one.
      place.held.put(key.module(), sha256);
      fetched.held(key, true);
    } else {
      refuse(key, sha256);
      LOG.info("bundle {}: not prepared: {}", key, reply.reason());
    }
    review(key.user());
  }

  private void drop(ModuleKey key, Place place) {
    place.held.remove(key.module());
    fetched.held(key, false);
    if (table.livesOf(key).isEmpty()) {
      place.agent.change(
          AgentOrder.uninstall(key.module()),
          null,
          ModuleSteps.UNINSTALL_MILLIS,
          reply -> LOG.debug("bundle {}: dropped: {}", key, reply));
    }
  }

  private void forget(String user, Place place) {
    place.held.keySet().forEach(module -> fetched.held(new ModuleKey(user, module), false));
    place.held.clear();
    place.asked.clear();
    place.agent = null;
  }

  private void end(String user) {
    Place place = places.remove(user);
    if (place == null) {
      return;
    }
    boolean modules = !table.livesOf(user).isEmpty();
    if (modules && place.agent != null && containers.agent(user).orElse(null) == place.agent) {
      Set.copyOf(place.held.keySet()).forEach(module -> drop(new ModuleKey(user, module), place));
    }
    forget(user, place);
    if (!modules && !place.givenUp()) {
      containers.release(user, () -> {});
    }
    loop.execute(this::review);
  }

  private static String digest(FetchedBundles.Kept kept) {
    return kept.order().sha256().orElseThrow();
  }
}
