// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.netserv.controller.container.Containers;
import org.netserv.controller.job.BundleStore;
import org.netserv.controller.job.Jobs;
import org.netserv.controller.log.DesiredModule;
import org.netserv.controller.log.LogException;
import org.netserv.controller.log.LogRecord;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.log.NcmLog;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.spawner.Spawner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All modules of the node: feeds {@link ModuleMachine} with events and hands its actions to {@link
 * ModuleSteps}. A module's place holds up to two incarnations: the one that runs and the one that
 * is to replace it. Lives on the loop.
 */
public final class Modules {
  private static final Logger LOG = LoggerFactory.getLogger(Modules.class);

  /** Repetitions of a SETUP that hear of its end; further ones are told that it is under way. */
  private static final int WAITING = 64;

  private final Loop loop;
  private final NcmLog log;
  private final ModuleHistory history = new ModuleHistory();
  private final Map<ModuleKey, ModuleSlot> slots = new TreeMap<>();
  private final CrashCount crashes = new CrashCount();
  private final ContainerNews news;

  private final FilterClaims claims;
  private final FilterPlane plane;
  private final ModuleSettings settings;
  private final BundleStore store;
  private ModuleSteps steps;
  private long unexpected;

  public Modules(
      Loop loop, NcmLog log, Spawner spawner, BundleStore store, ModuleSettings settings) {
    this.loop = loop;
    this.log = log;
    this.store = store;
    this.settings = settings;
    this.news = new ContainerNews(this, loop, crashes);
    this.claims = new FilterClaims(settings, loop.wall());
    this.plane = new FilterPlane(spawner, () -> claims.lines(slots.values()));
  }

  /** Second half of the constructor: containers tell modules, and modules use containers. */
  public void connect(Containers containers, Jobs jobs) {
    this.steps = new ModuleSteps(this, loop, containers, jobs, plane, store, settings);
    news.connect(containers, steps);
  }

  /** Who hears what becomes of containers. */
  public ContainerNews news() {
    return news;
  }

  /**
   * Begins the life of an accepted SETUP; {@code settled} hears its end state. At most one may be
   * coming up per key.
   */
  public void setup(ModuleOrder order, Consumer<Answer> settled) {
    ModuleSlot slot = slots.computeIfAbsent(order.key(), key -> new ModuleSlot());
    slot.next = new ModuleLife(order, loop.wall());
    slot.next.setups.add(settled);
    note(slot.next, "SETUP accepted");
    fire(slot.next, ModuleEvent.START, "SETUP accepted");
  }

  /**
   * A module that the log knows from before a restart.
   *
   * @param confirmed it had run: it is looked for in its container, and installed again if it is
   *     not there
   * @param settled hears the end state, if that was not told before the restart
   */
  public void restore(
      ModuleOrder order, String sha256, boolean confirmed, Optional<Consumer<Answer>> settled) {
    ModuleSlot slot = slots.computeIfAbsent(order.key(), key -> new ModuleSlot());
    ModuleLife life = new ModuleLife(order, loop.wall());
    boolean ready = confirmed && store.contains(sha256);
    if (confirmed) {
      life.sha256 = sha256;
    }
    if (ready) {
      slot.active = life;
    } else {
      slot.next = life;
    }
    settled.ifPresent(life.setups::add);
    String why = "found in the log at the controller's start";
    note(life, why);
    fire(life, ready ? ModuleEvent.RESTORE : ModuleEvent.START, why);
  }

  /**
   * An accepted SETUP of the version that is there, perhaps with other properties or filters.
   *
   * @param done hears whether they are in force, when the module runs
   * @param undo is called before that when they could not be put in force: what was before stays
   */
  public void refresh(ModuleOrder by, Consumer<Answer> done, Runnable undo) {
    ModuleLife life = Optional.ofNullable(slots.get(by.key())).map(s -> s.active).orElse(null);
    if (life == null) {
      loop.execute(() -> done.accept(new Answer(409, null, "the module is not running")));
      return;
    }
    ModuleOrder before = life.order;
    life.order = before.refreshed(by);
    life.setups.add(done);
    note(life, "refreshed by a SETUP");
    if (life.state != ModuleState.RUNNING) {
      return; // It is on its way back, with the new order; whoever waits hears of it then.
    }
    if (before.sameSettings(by)) {
      loop.execute(() -> settleWaiting(life, new Answer(200, null, "refreshed")));
      return;
    }
    steps.configure(
        life,
        answer -> {
          if (answer.status() != 200 && life.state.established()) {
            life.order = before;
            undo.run();
            steps.configure(life, back -> note(life, "as before: " + back.reason()));
          }
          settleWaiting(life, answer);
        });
  }

  /**
   * Policy grants an incarnation other filters now. The kernel's rules change whatever its
   * container says to it.
   */
  public void regrant(ModuleLife life, ModuleOrder by) {
    life.order = life.order.refreshed(by);
    note(life, "policy grants it other filters");
    rewriteFilters();
    if (life.state == ModuleState.RUNNING) {
      steps.configure(life, answer -> note(life, "policy: " + answer.reason()));
    }
  }

  /**
   * Undoes a module, whatever its state.
   *
   * @param end REMOVED, EXPIRED or FAILED
   * @param gone runs when all is undone, or at once if there is nothing
   */
  public void remove(ModuleKey key, ModuleState end, Answer why, Runnable gone) {
    List<ModuleLife> lives = livesOf(key);
    if (lives.isEmpty()) {
      loop.execute(gone);
      return;
    }
    int[] left = {lives.size()};
    ModuleEvent event = end == ModuleState.REMOVED ? ModuleEvent.REMOVE : ModuleEvent.EXPIRE;
    for (ModuleLife life : lives) {
      life.removals.add(
          () -> {
            if (--left[0] == 0) {
              gone.run();
            }
          });
      finishWith(life, end, why);
      fire(life, event, why.reason());
    }
  }

  /** Whether a SETUP for it has to wait: one is under way, or it is being removed. Says which. */
  public Optional<String> busy(ModuleKey key) {
    ModuleSlot slot = slots.get(key);
    if (slot == null) {
      return Optional.empty();
    }
    if (slot.lives().stream().anyMatch(l -> l.state == ModuleState.REMOVING)) {
      return Optional.of("the module is being removed");
    }
    return slot.next == null
        ? Optional.empty()
        : Optional.of(
            "another SETUP of version "
                + slot.next.order.version()
                + " is under way ("
                + slot.next.state.text()
                + ")");
  }

  /**
   * {@code settled} hears the end state of the SETUP under way; false if there is none, or too many
   * wait for it already.
   */
  public boolean await(ModuleKey key, Consumer<Answer> settled) {
    ModuleSlot slot = slots.get(key);
    List<Consumer<Answer>> waiting =
        slot == null ? List.of() : (slot.next != null ? slot.next : slot.active).setups;
    boolean underWay = slot != null && (slot.next != null || !waiting.isEmpty());
    if (!underWay || waiting.size() >= WAITING) {
      return false;
    }
    waiting.add(settled);
    return true;
  }

  /** Whether there is an incarnation of it, in whatever state. */
  boolean present(ModuleKey key) {
    return slots.containsKey(key);
  }

  /** The incarnations of it, that coming up first. */
  List<ModuleLife> livesOf(ModuleKey key) {
    ModuleSlot slot = slots.get(key);
    return slot == null ? List.of() : slot.lives();
  }

  /** The incarnations there are, by key; the one coming up before the one that runs. */
  public List<ModuleLife> lives() {
    return slots.values().stream().flatMap(s -> s.lives().stream()).toList();
  }

  public List<ModuleLife> livesOf(String user) {
    return lives().stream().filter(l -> l.key().user().equals(user)).toList();
  }

  public ModuleHistory history() {
    return history;
  }

  /** Events that had no meaning in the state they met. */
  public long unexpected() {
    return unexpected;
  }

  /** Writes the whole filter list: after the spawner has come back. */
  public void rewriteFilters() {
    plane.write(
        reply -> {
          if (!reply.ok()) {
            LOG.error("filters: {}", reply.reason());
          }
        });
  }

  // ---- the machine

  /** An event that leads to the end state FAILED with this answer, if it leads to an end. */
  void fail(ModuleLife life, ModuleEvent event, Answer why) {
    finishWith(life, ModuleState.FAILED, why);
    fire(life, event, why.reason());
  }

  private static void finishWith(ModuleLife life, ModuleState end, Answer why) {
    if (life.state != ModuleState.REMOVING && !life.state.ended()) {
      life.end = end;
      life.outcome = why;
    }
  }

  void fire(ModuleLife life, ModuleEvent event, String why) {
    ModuleMachine.Step step = ModuleMachine.on(life.state, event, life.end);
    if (step.action() == ModuleAction.UNEXPECTED) {
      unexpected++;
      LOG.warn("module {}: {} in state {}: {}", life.key(), event, life.state, why);
      return;
    }
    if (step.next() != life.state) {
      life.cancelTimer();
      life.state = step.next();
      life.since = loop.wall();
      note(life, why);
    }
    switch (step.action()) {
      case FETCH -> steps.fetch(life);
      case AWAIT_CONTAINER -> steps.awaitContainer(life);
      case INSTALL -> steps.install(life);
      case WRITE_FILTERS -> steps.writeFilters(life);
      case ANNOUNCE -> announce(life);
      case SETTLE -> settleWaiting(life, new Answer(200, null, "running"));
      case UNDO -> steps.undo(life);
      case FINISH -> finish(life);
      case NOTHING, UNEXPECTED -> {}
    }
  }

  void note(ModuleLife life, String why) {
    life.because = why;
    history.add(life.key(), loop.wall(), life.state.text(), why);
    LOG.info("module {} {}: {}: {}", life.key(), life.order.version(), life.state.text(), why);
  }

  private void announce(ModuleLife life) {
    ModuleSlot slot = slots.get(life.key());
    ModuleLife old = slot.active;
    slot.next = null;
    slot.active = life;
    append(new LogRecord.Running(loop.wall(), life.key().user(), life.key().module(), life.sha256));
    if (old != null) {
      fire(old, ModuleEvent.SUPERSEDED, "version " + life.order.version() + " runs in its place");
    }
    String was = old == null ? "" : ", in place of " + old.order.version();
    settle(life, new Answer(200, null, "running" + was));
  }

  private void finish(ModuleLife life) {
    ModuleSlot slot = slots.get(life.key());
    boolean wasNext = slot != null && slot.next == life;
    Answer answer = life.outcome;
    if (slot != null) {
      slot.drop(life);
      if (slot.empty()) {
        slots.remove(life.key());
        crashes.forget(life.key());
      }
    }
    ModuleLife survivor = wasNext ? slot.active : null;
    if (life.state == ModuleState.FAILED) {
      logFailure(life, wasNext);
    }
    if (survivor != null && survivor.state.established()) {
      answer =
          new Answer(
              answer.status(),
              answer.header(),
              answer.reason() + "; version " + survivor.order.version() + " stays");
      if (life.handedOver) {
        fire(survivor, ModuleEvent.BRING_BACK, "the attempt to replace it has failed");
      }
    }
    if (survivor != null && log.snapshot().module(life.key()).isEmpty()) {
      // Its last claim ran out while the attempt was under way.
      remove(
          life.key(),
          ModuleState.EXPIRED,
          new Answer(410, "ttl", "its last claim ran out"),
          () -> {});
    }
    sweep();
    if (life.state == ModuleState.REPLACED) {
      settleWaiting(life, new Answer(409, null, "replaced before it ran again"));
    } else {
      settle(life, answer);
    }
    List<Runnable> removals = List.copyOf(life.removals);
    life.removals.clear();
    removals.forEach(Runnable::run);
  }

  private void logFailure(ModuleLife life, boolean wasNext) {
    String user = life.key().user();
    String module = life.key().module();
    Optional<DesiredModule> desired = log.snapshot().module(life.key());
    if (desired.isPresent()) {
      String why = life.outcome.reason();
      append(
          wasNext
              ? new LogRecord.Failed(loop.wall(), user, module, why)
              : new LogRecord.Ended(loop.wall(), user, module, why));
    }
  }

  private void settleWaiting(ModuleLife life, Answer answer) {
    if (!life.setups.isEmpty()) {
      settle(life, answer);
    }
  }

  /** Tells whoever waits, and the notification URL. */
  private void settle(ModuleLife life, Answer answer) {
    List<Consumer<Answer>> waiting = List.copyOf(life.setups);
    life.setups.clear();
    Answer toSetups =
        life.state == ModuleState.REMOVED
            ? new Answer(409, null, "removed before it ran: " + answer.reason())
            : answer;
    waiting.forEach(w -> w.accept(toSetups));
    steps.tell(life, answer);
  }

  /** Removes bundles that no life and no log entry needs. */
  void sweep() {
    Set<String> used = new HashSet<>();
    lives().forEach(l -> used.add(String.valueOf(l.sha256)));
    for (DesiredModule module : log.snapshot().modules()) {
      used.add(String.valueOf(module.current().sha256()));
      module.previous().ifPresent(v -> used.add(String.valueOf(v.sha256())));
    }
    steps.sweep(used);
  }

  private void append(LogRecord record) {
    try {
      log.append(List.of(record));
    } catch (LogException e) {
      // The module goes on as it is; after a restart the log's older word is acted on again.
      LOG.error("log: {}", e.getMessage());
    }
  }

  /** A module of this publisher has come or gone. */
  void changed(String user) {
    claims.changed(user);
  }

  /**
   * Whether any other incarnation of this publisher's modules is left: decides whether the
   * container goes.
   */
  boolean alone(ModuleLife life) {
    return livesOf(life.key().user()).stream().allMatch(l -> l == life);
  }

  /** Whether the incarnation that this one is to replace is still meant to run. */
  boolean replaces(ModuleLife life) {
    ModuleSlot slot = slots.get(life.key());
    return slot != null
        && slot.next == life
        && slot.active != null
        && slot.active.state.established();
  }

  static String error(ObjectNode reply) {
    String phase = reply.path("phase").asText("");
    return (phase.isEmpty() ? "" : phase + ": ") + reply.path("error").asText("no reason given");
  }
}
