// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
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
import org.netserv.controller.spawner.FirewallState;
import org.netserv.controller.spawner.Spawner;
import org.netserv.filter.FlowFilter;
import org.netserv.process.ForeignText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All modules of the node. Feeds {@link ModuleMachine} with events and hands its actions to {@link
 * ModuleSteps}. A module's place holds up to two incarnations: the one that runs and the one that
 * is to replace it. Lives on the loop.
 */
public final class Modules {
  private static final Logger LOG = LoggerFactory.getLogger(Modules.class);

  /**
   * Repetitions of a SETUP that hear of its end. Further repetitions are told that it is under way.
   */
  private static final int WAITING = 64;

  /** The state that people and JSON see of a module that runs while packets pass it by. */
  private static final String BYPASSED = "bypassed";

  private final Loop loop;
  private final NcmLog log;
  private final ModuleHistory history = new ModuleHistory();
  private final Map<ModuleKey, ModuleSlot> slots = new TreeMap<>();
  private final CrashCount crashes = new CrashCount();
  private final ContainerNews news;

  private final FilterClaims claims;
  private final FilterPlane plane;
  private final FirewallState firewall;
  private final ModuleSettings settings;
  private final BundleStore store;
  private final FetchedBundles fetched;
  private ModuleSteps steps;
  private long unexpected;

  public Modules(
      Loop loop,
      NcmLog log,
      Spawner spawner,
      FirewallState firewall,
      BundleStore store,
      ModuleSettings settings) {
    this.loop = loop;
    this.log = log;
    this.store = store;
    this.settings = settings;
    this.fetched = new FetchedBundles(this, loop, log, store, settings);
    this.news = new ContainerNews(this, loop, crashes);
    this.claims = new FilterClaims(settings, loop.wall());
    this.plane = new FilterPlane(spawner, () -> claims.lines(slots.values()));
    this.firewall = firewall;
    firewall.whenChanged(this::damaged);
  }

  /** Second half of the constructor, because containers tell modules and modules use containers. */
  public void connect(Containers containers, Jobs jobs) {
    fetched.connect(jobs);
    this.steps = new ModuleSteps(this, loop, containers, jobs, plane, store, settings);
    news.connect(containers, steps);
  }

  /** Returns the bundles that are fetched for a later SETUP. */
  public FetchedBundles fetched() {
    return fetched;
  }

  /** Returns the listener to the news of containers. */
  public ContainerNews news() {
    return news;
  }

  /**
   * Begins the life of an accepted SETUP. {@code settled} hears its end state. At most one SETUP
   * may be coming up per key.
   */
  public void setup(ModuleOrder order, Consumer<Answer> settled) {
    ModuleSlot slot = slots.computeIfAbsent(order.key(), key -> new ModuleSlot());
    slot.next = new ModuleLife(order, loop.wall());
    slot.next.setups.add(settled);
    note(slot.next, "SETUP accepted");
    fire(slot.next, ModuleEvent.START, "SETUP accepted");
  }

  /**
   * Takes up a module that the log knows from before a restart.
   *
   * @param confirmed whether it had run. It is then looked for in its container, and installed
   *     again if it is not there.
   * @param quarantine the reason of its quarantine; empty if it is not quarantined
   * @param settled hears the end state, if that was not told before the restart
   */
  public void restore(
      ModuleOrder order,
      String sha256,
      boolean confirmed,
      Optional<String> quarantine,
      Optional<Consumer<Answer>> settled) {
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
    if (ready && quarantine.isPresent()) {
      fire(life, ModuleEvent.QUARANTINE, quarantine.get());
    } else {
      fire(life, ready ? ModuleEvent.RESTORE : ModuleEvent.START, why);
    }
  }

  /**
   * Takes an accepted SETUP of the version that is there, perhaps with other properties or filters.
   *
   * @param done hears whether the new settings are in force, when the module runs
   * @param undo runs before that, when they could not be put in force; the settings of before stay
   */
  public void refresh(ModuleOrder by, Consumer<Answer> done, Runnable undo) {
    ModuleLife life = Optional.ofNullable(slots.get(by.key())).map(s -> s.active).orElse(null);
    if (life == null) {
      loop.execute(() -> done.accept(new Answer(409, null, "the module is not running")));
      return;
    }
    ModuleOrder before = life.order;
    boolean same = before.sameSettings(by);
    life.order = before.refreshed(by);
    life.setups.add(done);
    life.refused = same ? life.refused : chain(life, before, undo);
    note(life, "refreshed by a SETUP");
    if (life.state != ModuleState.RUNNING) {
      return; // It is on its way back, with the new order; whoever waits hears of it then.
    }
    if (same && life.refused == ModuleLife.NO_REFRESH) {
      loop.execute(() -> settleWaiting(life, new Answer(200, null, "refreshed")));
    } else if (!same) {
      configure(life);
    }
  }

  private static Runnable chain(ModuleLife life, ModuleOrder before, Runnable undo) {
    Runnable earlier = life.refused;
    return () -> {
      life.order = before;
      undo.run();
      earlier.run();
    };
  }

  /**
   * Takes back the refreshes since a module ran last, because it does not come up with them.
   *
   * @return whether there was a refresh, so that the module has its settings of before again
   */
  boolean refuseRefresh(ModuleLife life, Answer why) {
    Runnable refused = life.refused;
    life.refused = ModuleLife.NO_REFRESH;
    if (refused == ModuleLife.NO_REFRESH) {
      return false;
    }
    refused.run();
    note(life, "not with its new settings: " + why.reason());
    settleWaiting(life, why);
    return true;
  }

  /** Gives a module the settings of its order, and takes back the refreshes that it refuses. */
  void configure(ModuleLife life) {
    ModuleOrder sent = life.order;
    steps.configure(life, answer -> configured(life, sent, answer));
  }

  private void configured(ModuleLife life, ModuleOrder sent, Answer answer) {
    note(life, "configured: " + answer.reason());
    if (!sent.sameSettings(life.order)) {
      return; // Newer settings are on their way to it, and their answer counts for all.
    }
    if (answer.status() == 200) {
      life.refused = ModuleLife.NO_REFRESH;
      settleWaiting(life, answer);
    } else if (life.state != ModuleState.REMOVING
        && !life.state.ended()
        && refuseRefresh(life, answer)
        && life.state == ModuleState.RUNNING) {
      steps.configure(life, back -> asBefore(life, back));
    }
  }

  /** Installs a module anew that works neither with the new settings nor with the old ones. */
  private void asBefore(ModuleLife life, Answer back) {
    note(life, "as before: " + back.reason());
    if (back.status() != 200 && life.state == ModuleState.RUNNING) {
      fire(life, ModuleEvent.BRING_BACK, "it is not as before: " + back.reason());
    }
  }

  /**
   * Quarantines a module, because its container shows it no packet any more.
   *
   * @param sha256 of the bundle that threw
   */
  void quarantine(ModuleKey key, String sha256, String reason) {
    for (ModuleLife life : livesOf(key)) {
      boolean meant = life.handedOver && sha256.equals(life.sha256) && !life.released;
      if (meant && life.state != ModuleState.QUARANTINED) {
        fail(life, ModuleEvent.QUARANTINE, new Answer(424, null, "quarantined: " + reason));
      }
    }
  }

  /** Returns the reason why the module that is there is quarantined; empty if it is not. */
  public Optional<String> quarantined(ModuleKey key) {
    ModuleSlot slot = slots.get(key);
    boolean out =
        slot != null && slot.active != null && slot.active.state == ModuleState.QUARANTINED;
    return out ? Optional.of(slot.active.quarantine) : Optional.empty();
  }

  /**
   * Notes in the history how damage of the firewall has affected modules. Keeps the last note of
   * each module.
   */
  private void damaged(FirewallState.Damage damage) {
    for (ModuleLife life : lives()) {
      if (life.state == ModuleState.RUNNING) {
        firewall
            .told(damage, families(life))
            .ifPresent(
                text -> history.addLimit(life.key(), loop.wall(), state(life), "firewall", text));
      }
    }
  }

  /** Returns the reason why packets pass by the module that is there; empty if they do not. */
  public Optional<String> bypassed(ModuleKey key) {
    ModuleSlot slot = slots.get(key);
    return slot == null || slot.active == null
        ? Optional.empty()
        : firewall.bypass(families(slot.active));
  }

  /**
   * Returns the reason why packets pass by a module that runs; empty if they do not, or it does not
   * run.
   */
  public Optional<String> bypassed(ModuleLife life) {
    return life.state == ModuleState.RUNNING ? firewall.bypass(families(life)) : Optional.empty();
  }

  /** Returns the wall-clock time at which the module's last claim ends; empty if it has none. */
  public Optional<Long> deadline(ModuleKey key) {
    return log.snapshot().module(key).map(DesiredModule::deadline);
  }

  /** Returns its state in the form that people and JSON see. */
  public String state(ModuleLife life) {
    return bypassed(life).isPresent() ? BYPASSED : life.state.text();
  }

  /** Returns the reason for that state. */
  public String because(ModuleLife life) {
    return bypassed(life).orElse(life.because);
  }

  /**
   * Returns the families of its filters that have a rule in the firewall. Filters that count have
   * none.
   */
  private static Set<Integer> families(ModuleLife life) {
    return life.order.filters().stream()
        .filter(filter -> filter.count() == null)
        .map(FlowFilter::family)
        .collect(Collectors.toSet());
  }

  /**
   * Lets a quarantined module run again, as the operator wants: it is installed anew.
   *
   * @param settled hears the end state
   * @return the reason of a refusal; empty when the release is under way, and in the log
   */
  public Optional<Answer> release(ModuleKey key, Consumer<Answer> settled) {
    if (quarantined(key).isEmpty()) {
      return Optional.of(new Answer(409, null, "the module is not quarantined"));
    }
    Optional<String> busy = busy(key);
    if (busy.isPresent()) {
      return Optional.of(new Answer(409, null, busy.get()));
    }
    try {
      log.append(List.of(new LogRecord.Released(loop.wall(), key.user(), key.module())));
    } catch (LogException e) {
      LOG.error("log: {}", e.getMessage());
      return Optional.of(new Answer(503, null, "this node cannot write its log; nothing was done"));
    }
    ModuleLife life = slots.get(key).active;
    life.released = true;
    life.setups.add(settled);
    fire(life, ModuleEvent.RELEASE, "released by the operator");
    return Optional.empty();
  }

  /**
   * Gives an incarnation other filters, as policy grants them now. The kernel's rules change,
   * whatever its container answers.
   */
  public void regrant(ModuleLife life, ModuleOrder by) {
    life.order = life.order.refreshed(by);
    note(life, "policy grants it other filters");
    rewriteFilters();
    if (life.state == ModuleState.RUNNING) {
      configure(life);
    }
  }

  /**
   * Undoes a module in any state.
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

  /**
   * Returns the reason why a SETUP for it has to wait: another SETUP is under way, or the module is
   * being removed. Empty if none has to wait.
   */
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
   * Adds {@code settled}, which hears the end state of the SETUP under way. Returns false if there
   * is none, or too many wait for it already.
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

  /** Returns true if there is an incarnation of it, in any state. */
  boolean present(ModuleKey key) {
    return slots.containsKey(key);
  }

  /** Returns the incarnations of a module, the one that is coming up first. */
  List<ModuleLife> livesOf(ModuleKey key) {
    ModuleSlot slot = slots.get(key);
    return slot == null ? List.of() : slot.lives();
  }

  /** Returns all incarnations by key, the one that is coming up before the one that runs. */
  public List<ModuleLife> lives() {
    return slots.values().stream().flatMap(s -> s.lives().stream()).toList();
  }

  public List<ModuleLife> livesOf(String user) {
    return lives().stream().filter(l -> l.key().user().equals(user)).toList();
  }

  public ModuleHistory history() {
    return history;
  }

  /** Returns the number of events that had no meaning in the state they met. */
  public long unexpected() {
    return unexpected;
  }

  /** Writes the whole filter list, for example after the spawner has come back. */
  public void rewriteFilters() {
    plane.write(
        reply -> {
          if (!reply.ok()) {
            LOG.error("filters: {}", reply.reason());
          }
        });
  }

  // ---- the machine

  /** Fires an event. If it leads to an end, the end state is FAILED with this answer. */
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
      if (step.next() == ModuleState.QUARANTINED) {
        life.quarantine = ForeignText.bounded(why);
      }
      life.cancelTimer();
      life.state = step.next();
      life.since = loop.wall();
      note(life, why);
    }
    switch (step.action()) {
      case FETCH -> steps.fetch(life);
      case AWAIT_CONTAINER -> steps.awaitContainer(life);
      case INSTALL -> steps.install(life);
      case RESTART_CONTAINER -> news.late(life, why);
      case WRITE_FILTERS -> steps.writeFilters(life);
      case ANNOUNCE -> announce(life);
      case SETTLE -> {
        if (life.refused == ModuleLife.NO_REFRESH) {
          settleWaiting(life, new Answer(200, null, "running"));
        }
      }
      case ISOLATE -> isolate(life);
      case UNDO -> steps.undo(life);
      case FINISH -> finish(life);
      case NOTHING, UNEXPECTED -> {}
    }
  }

  void note(ModuleLife life, String why) {
    String bounded = ForeignText.bounded(why);
    life.because = life.state == ModuleState.QUARANTINED ? life.quarantine : bounded;
    history.add(life.key(), loop.wall(), life.state.text(), bounded);
    LOG.info("module {} {}: {}: {}", life.key(), life.order.version(), life.state.text(), bounded);
  }

  private void isolate(ModuleLife life) {
    life.outcome = new Answer(503, null, life.because);
    boolean known =
        log.snapshot()
            .module(life.key())
            .filter(m -> m.quarantine(life.order.version()).isPresent())
            .isPresent();
    if (!known) {
      append(
          new LogRecord.Quarantined(
              loop.wall(),
              life.key().user(),
              life.key().module(),
              life.order.version(),
              life.because));
      settle(life, life.outcome);
    }
    steps.isolate(life);
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
    boolean out = survivor != null && survivor.state == ModuleState.QUARANTINED;
    if (out || (survivor != null && survivor.state.established())) {
      String how = out ? " stays quarantined" : " stays";
      answer =
          new Answer(
              answer.status(),
              answer.header(),
              answer.reason() + "; version " + survivor.order.version() + how);
      if (life.handedOver && survivor.state.established()) {
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

  /** Tells the senders that wait, and the notification URL. */
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
    log.snapshot().bundles().forEach(bundle -> used.add(bundle.sha256()));
    steps.sweep(used);
  }

  private void append(LogRecord record) {
    try {
      log.append(List.of(record));
    } catch (LogException e) {
      // The module goes on as it is. After a restart the node acts on the log's older word again.
      LOG.error("log: {}", e.getMessage());
    }
  }

  /** Records that a module of this publisher has come or gone. */
  void changed(String user) {
    claims.changed(user);
  }

  /**
   * Returns true if no other incarnation of this publisher's modules is left. The container then
   * goes.
   */
  boolean alone(ModuleLife life) {
    return livesOf(life.key().user()).stream().allMatch(l -> l == life);
  }

  /** Returns true if there is an incarnation that this one is to replace, in any state. */
  boolean isReplacement(ModuleLife life) {
    ModuleSlot slot = slots.get(life.key());
    return slot != null && slot.next == life && slot.active != null;
  }

  /** Returns true if the incarnation that this one is to replace is still meant to run. */
  boolean replaces(ModuleLife life) {
    ModuleSlot slot = slots.get(life.key());
    return slot != null
        && slot.next == life
        && slot.active != null
        && slot.active.state.established();
  }
}
