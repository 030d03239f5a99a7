// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.netserv.controller.container.ContainerListener;
import org.netserv.controller.limit.LimitListener;
import org.netserv.controller.log.DesiredModule;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.log.NcmLog;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.spawner.FirewallState;

/**
 * All modules of the node. {@link ModuleRunner} feeds {@link ModuleMachine} with events and hands
 * its actions to {@link ModuleSteps}. A module's place holds up to two incarnations: the one that
 * runs and the one that is to replace it. Lives on the loop.
 *
 * <pre>
 *   Modules --> ModuleRunner --> ModuleRefresh, Quarantines, ModuleEnd --> ModuleSteps
 *                    ^                                                         |  containers, jobs
 *                    +---- ModuleDriver: events <---- ContainerNews <----------+
 *
 *   FetchedBundles --> Standby --> containers that hold them
 *   all of them --> ModuleTable, ModuleRecords, SetupSenders
 * </pre>
 */
public final class Modules {
  private final Loop loop;
  private final ModuleTable table = new ModuleTable();
  private final ModuleHistory history = new ModuleHistory();
  private final ModuleRecords records;
  private final PacketPath path;
  private final FilterPlane plane;
  private final StoredBundles bundles;
  private final SetupSenders senders;
  private final FetchedBundles fetched;
  private final Standby standby;
  private final ModuleRunner runner;

  public Modules(
      Loop loop,
      NcmLog log,
      ModuleSettings settings,
      FirewallState firewall,
      ModuleWorkers workers) {
    this.loop = loop;
    records = new ModuleRecords(loop, log);
    path = new PacketPath(loop, table, firewall, history);
    plane = new FilterPlane(workers.spawner(), new FilterClaims(settings, loop.wall()), table);
    bundles = new StoredBundles(workers.store(), table, records);
    senders = new SetupSenders(workers.jobs(), settings);
    ModuleRunner.Memory memory = new ModuleRunner.Memory(table, history, records, bundles);
    fetched =
        new FetchedBundles(
            loop, log, history, bundles, workers.jobs(), settings, user -> hold(user));
    standby = new Standby(loop, table, workers.containers(), bundles, fetched, settings);
    runner = new ModuleRunner(loop, memory, workers, plane, senders, fetched, standby);
  }

  private void hold(String user) {
    standby.changed(user);
  }

  /** Looks again at the bundles that containers hold for a later SETUP, as policy wants now. */
  public void reviewStandby() {
    standby.review();
  }

  /** Returns the bundles that are fetched for a later SETUP. */
  public FetchedBundles fetched() {
    return fetched;
  }

  /** Returns the listener to the news of containers. */
  public ContainerListener containerListener() {
    return runner.news();
  }

  /** Returns the listener to limits that publishers meet. */
  public LimitListener limitListener() {
    return new LimitNews(loop, table, history);
  }

  /**
   * Begins the life of an accepted SETUP. {@code settled} hears its end state. At most one SETUP
   * may be coming up per key.
   */
  public void setup(ModuleOrder order, Consumer<Answer> settled) {
    ModuleSlot slot = table.place(order.key());
    slot.next = new ModuleLife(order, loop.wall());
    slot.next.setups.add(settled);
    runner.note(slot.next, "SETUP accepted");
    runner.fire(slot.next, ModuleEvent.START, "SETUP accepted");
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
    ModuleSlot slot = table.place(order.key());
    ModuleLife life = new ModuleLife(order, loop.wall());
    boolean ready = confirmed && bundles.contains(sha256);
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
    runner.note(life, why);
    if (ready && quarantine.isPresent()) {
      runner.fire(life, ModuleEvent.QUARANTINE, quarantine.get());
    } else {
      runner.fire(life, ready ? ModuleEvent.RESTORE : ModuleEvent.START, why);
    }
  }

  /**
   * Takes an accepted SETUP of the version that is there, perhaps with other properties or filters.
   *
   * @param done hears whether the new settings are in force, when the module runs
   * @param undo runs before that, when they could not be put in force; the settings of before stay
   */
  public void refresh(ModuleOrder by, Consumer<Answer> done, Runnable undo) {
    runner.refreshes().refresh(by, done, undo);
  }

  /**
   * Gives an incarnation other filters, as policy grants them now. The kernel's rules change,
   * whatever its container answers.
   */
  public void regrant(ModuleLife life, ModuleOrder by) {
    runner.refreshes().regrant(life, by);
  }

  /** Returns the reason why the module that is there is quarantined; empty if it is not. */
  public Optional<String> quarantined(ModuleKey key) {
    return runner.quarantines().reason(key);
  }

  /**
   * Lets a quarantined module run again, as the operator wants: it is installed anew.
   *
   * @param settled hears the end state
   * @return the reason of a refusal; empty when the release is under way, and in the log
   */
  public Optional<Answer> release(ModuleKey key, Consumer<Answer> settled) {
    return runner.quarantines().release(key, settled);
  }

  /**
   * Undoes a module in any state.
   *
   * @param end REMOVED, EXPIRED or FAILED
   * @param gone runs when all is undone, or at once if there is nothing
   */
  public void remove(ModuleKey key, ModuleState end, Answer why, Runnable gone) {
    runner.remove(key, end, why, gone);
  }

  /**
   * Adds {@code settled}, which hears the end state of the SETUP under way. Returns false if there
   * is none, or too many wait for it already.
   */
  public boolean await(ModuleKey key, Consumer<Answer> settled) {
    return senders.await(table.find(key), settled);
  }

  // ---- the modules that there are

  /**
   * Returns the reason why a SETUP for it has to wait: another SETUP is under way, or the module is
   * being removed. Empty if none has to wait.
   */
  public Optional<String> busy(ModuleKey key) {
    return table.busy(key);
  }

  /** Returns true if there is an incarnation of it, in any state. */
  boolean present(ModuleKey key) {
    return table.present(key);
  }

  /** Returns all incarnations by key, the one that is coming up before the one that runs. */
  public List<ModuleLife> lives() {
    return table.lives();
  }

  public List<ModuleLife> livesOf(String user) {
    return table.livesOf(user);
  }

  /** Returns the wall-clock time at which the module's last claim ends; empty if it has none. */
  public Optional<Long> deadline(ModuleKey key) {
    return records.desired(key).map(DesiredModule::deadline);
  }

  public ModuleHistory history() {
    return history;
  }

  /** Returns the view of the packets' way to the modules. */
  public PacketPath path() {
    return path;
  }

  /** Writes the whole filter list, for example after the spawner has come back. */
  public void rewriteFilters() {
    plane.rewrite();
  }
}
