// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.netserv.controller.job.FetchOrder;
import org.netserv.controller.job.FetchOutcome;
import org.netserv.controller.job.Jobs;
import org.netserv.controller.log.FetchedBundle;
import org.netserv.controller.log.LogException;
import org.netserv.controller.log.LogRecord;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.log.NcmLog;
import org.netserv.controller.loop.Loop;
import org.netserv.process.ForeignText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bundles that publishers have had fetched for a later SETUP, at most one of each module. A
 * bundle is kept as the log has it, over restarts too. A SETUP takes it from here only if it was
 * verified by the trust of today. Lives on the loop.
 */
public final class FetchedBundles {
  private static final Logger LOG = LoggerFactory.getLogger(FetchedBundles.class);

  /** The status of a SETUP whose bundle is kept, and of whose module nothing runs. */
  public static final int FETCHED = 201;

  /** Repetitions of a SETUP that hear of its end. */
  private static final int WAITING = 64;

  private final Loop loop;
  private final NcmLog log;
  private final ModuleHistory history;
  private final StoredBundles store;
  private final Jobs jobs;
  private final ModuleSettings settings;
  private final Consumer<String> changed;
  private final Map<ModuleKey, Kept> all = new TreeMap<>();

  /**
   * Has no bundles.
   *
   * @param changed hears of each publisher whose bundles that are here change
   */
  FetchedBundles(
      Loop loop,
      NcmLog log,
      ModuleHistory history,
      StoredBundles store,
      Jobs jobs,
      ModuleSettings settings,
      Consumer<String> changed) {
    this.loop = loop;
    this.log = log;
    this.history = history;
    this.store = store;
    this.jobs = jobs;
    this.settings = settings;
    this.changed = changed;
  }

  /** One bundle, from its SETUP to its end. */
  public static final class Kept {
    private ModuleOrder order;
    private boolean stored;
    private boolean held;
    private long since;
    private String because = "";
    private Fetch fetch;

    /** The senders that wait for the end of the fetch. */
    private final List<Consumer<Answer>> setups = new ArrayList<>();

    private Kept(ModuleOrder order) {
      this.order = order;
    }

    public ModuleOrder order() {
      return order;
    }

    /** Returns the word for its state that people and JSON see. */
    public String state() {
      return held ? "prepared" : stored ? "fetched" : "fetching";
    }

    public String because() {
      return because;
    }

    /** Returns the wall clock of the last change of state. */
    public long since() {
      return since;
    }
  }

  /** A job under way. It goes on when its bundle has been dropped meanwhile. */
  private static final class Fetch {
    private final ModuleOrder order;
    private final String trust;

    /** Modules that want to run from the bundle. */
    private final List<Consumer<FetchOutcome>> users = new ArrayList<>();

    private Fetch(ModuleOrder order, String trust) {
      this.order = order;
      this.trust = trust;
    }
  }

  /** Returns all bundles, by publisher and module. */
  public List<Kept> all() {
    return List.copyOf(all.values());
  }

  public Optional<Kept> find(ModuleKey key) {
    return Optional.ofNullable(all.get(key));
  }

  /** Returns the publisher's bundles that a SETUP could run now. */
  List<Kept> ready(String user) {
    return all.values().stream()
        .filter(kept -> kept.order.key().user().equals(user) && kept.stored && ready(kept.order))
        .toList();
  }

  /** Hears whether the publisher's container holds the bundle of a module installed. */
  void held(ModuleKey key, boolean held) {
    Kept kept = all.get(key);
    if (kept != null && kept.held != held) {
      kept.held = held;
      note(kept, held ? "its container has it installed" : "its container does not hold it");
    }
  }

  /** Returns how many bundles a publisher has here of which no module is made. */
  public long besideModules(String user) {
    return log.snapshot().bundlesOf(user).stream().filter(b -> !log.snapshot().runs(b)).count();
  }

  /** Returns the reason why a SETUP for another bundle has to wait. Empty if it has not. */
  public Optional<String> busy(ModuleOrder order) {
    return find(order.key())
        .filter(kept -> kept.fetch != null && !same(kept.order, order))
        .map(kept -> "the bundle of version " + kept.order.version() + " is being fetched");
  }

  /**
   * Fetches a bundle that is in the log now, unless it is here already.
   *
   * @param settled hears the end
   */
  public void fetch(ModuleOrder order, Consumer<Answer> settled) {
    Kept kept = all.get(order.key());
    if (kept == null || !same(kept.order, order)) {
      kept = new Kept(order);
      all.put(order.key(), kept);
      store.sweep(); // Another bundle of the module may have been here.
    }
    kept.order = order;
    kept.setups.add(settled);
    if (kept.fetch == null && ready(order)) {
      Kept here = kept;
      loop.execute(
          () -> {
            if (all.get(order.key()) == here) {
              stored(here, "here already, sha256 " + order.sha256().orElse(""));
            }
          });
    } else if (kept.fetch == null) {
      kept.stored = false;
      begin(kept, "SETUP accepted, activate: later");
    }
  }

  /**
   * Takes up a bundle that the log knows from before a restart. One that is not here, or was
   * verified by another trust, waits for {@link #resume}.
   *
   * @param settled hears the end of a fetch, if that was not told before the restart
   */
  public void restore(ModuleOrder order, Optional<Consumer<Answer>> settled) {
    Kept kept = new Kept(order);
    all.put(order.key(), kept);
    kept.stored = ready(order);
    note(kept, "found in the log at the controller's start");
    settled.ifPresent(kept.setups::add);
    if (kept.stored) {
      loop.execute(() -> settle(kept, told(order)));
    }
  }

  /**
   * Fetches the bundles that are in the log and not here, because jobs and containers can be
   * started now.
   */
  public void resume() {
    for (Kept kept : all()) {
      if (kept.stored) {
        changed.accept(kept.order.key().user());
      } else if (kept.fetch == null) {
        begin(kept, "fetched again after a restart");
      }
    }
  }

  /**
   * Gives a module its bundle: the one that is kept, the one that is being fetched, or that of a
   * job. {@code done} is called once, and with an answer of 200 the bundle is in the store.
   */
  void obtain(ModuleOrder order, Consumer<FetchOutcome> done) {
    Fetch underWay = find(order.key()).map(kept -> kept.fetch).orElse(null);
    if (ready(order)) {
      String sha256 = order.sha256().orElseThrow();
      loop.execute(() -> done.accept(FetchOutcome.stored(sha256, 0)));
    } else if (underWay != null
        && same(underWay.order, order)
        && underWay.trust.equals(settings.trust(order.key().user()))) {
      underWay.users.add(done);
    } else {
      jobs.fetch(order(order), done);
    }
  }

  /** Adds a sender that hears of the end. Returns false if no fetch is under way. */
  public boolean await(ModuleKey key, Consumer<Answer> settled) {
    Kept kept = all.get(key);
    boolean takes = kept != null && kept.fetch != null && kept.setups.size() < WAITING;
    if (takes) {
      kept.setups.add(settled);
    }
    return takes;
  }

  /** Returns a bundle as the log has it; empty if the log has it no more. */
  public Optional<FetchedBundle> here(Kept kept) {
    return log.snapshot().bundle(kept.order.key()).filter(bundle -> is(bundle, kept.order));
  }

  /** Gives up bundles that the log does not have any more. */
  public void follow(Answer why) {
    for (Kept kept : all()) {
      if (here(kept).isEmpty()) {
        drop(kept, why);
      }
    }
  }

  /** Ends a bundle, and all claims on it. */
  public void end(ModuleKey key, Answer why) {
    append(new LogRecord.Dropped(loop.wall(), key.user(), key.module(), null, null, why.reason()));
    find(key).ifPresent(kept -> drop(kept, why));
  }

  /** Ends a bundle whose last claim has run out, even if the log could not be told. */
  void lapsed(ModuleKey key, Answer why) {
    find(key).ifPresent(kept -> drop(kept, why));
  }

  private void drop(Kept kept, Answer why) {
    all.remove(kept.order.key(), kept);
    String text = "fetched bundle: " + why.reason();
    history.add(kept.order.key(), loop.wall(), "removed", text);
    LOG.info("bundle {} {}: removed: {}", kept.order.key(), kept.order.version(), why.reason());
    settle(
        kept,
        why.status() == 200
            ? new Answer(409, null, "removed before it was fetched: " + why.reason())
            : why);
    tell(kept, why);
    changed.accept(kept.order.key().user());
    store.sweep();
  }

  private void begin(Kept kept, String why) {
    Fetch fetch = new Fetch(kept.order, settings.trust(kept.order.key().user()));
    kept.fetch = fetch;
    note(kept, why);
    jobs.fetch(order(kept.order), outcome -> fetched(kept, fetch, outcome));
  }

  private void fetched(Kept kept, Fetch fetch, FetchOutcome outcome) {
    kept.fetch = null;
    boolean wanted = all.get(kept.order.key()) == kept;
    if (wanted && outcome.ok()) {
      ModuleKey key = kept.order.key();
      append(
          new LogRecord.Fetched(
              loop.wall(),
              key.user(),
              key.module(),
              outcome.sha256(),
              length(outcome),
              fetch.trust,
              outcome.goodUntil()));
      stored(kept, "fetched and verified, sha256 " + outcome.sha256());
    } else if (wanted) {
      end(kept.order.key(), new Answer(outcome.status(), outcome.header(), outcome.reason()));
    }
    fetch.users.forEach(user -> user.accept(outcome));
    if (outcome.ok()) {
      store.unpin(outcome.sha256());
    }
    if (!wanted) {
      store.sweep(); // It came too late: nobody may need the bundle any more.
    }
  }

  private long length(FetchOutcome outcome) {
    try {
      return Files.size(store.path(outcome.sha256()));
    } catch (IOException e) {
      LOG.warn("stored bundle: {}", e.getMessage());
      return 0;
    }
  }

  private void stored(Kept kept, String why) {
    kept.stored = true;
    note(kept, why);
    Answer answer = told(kept.order);
    settle(kept, answer);
    tell(kept, answer);
    changed.accept(kept.order.key().user());
  }

  private Answer told(ModuleOrder order) {
    long bytes = log.snapshot().bundle(order.key()).map(FetchedBundle::bytes).orElse(0L);
    return new Answer(FETCHED, null, "fetched, not running: " + bytes + " bytes are kept");
  }

  private void settle(Kept kept, Answer answer) {
    List<Consumer<Answer>> waiting = List.copyOf(kept.setups);
    kept.setups.clear();
    waiting.forEach(sender -> sender.accept(answer));
  }

  private void tell(Kept kept, Answer answer) {
    kept.order.notice(settings.nodeId(), answer.status(), answer.reason()).ifPresent(jobs::tell);
  }

  private void note(Kept kept, String why) {
    kept.because = ForeignText.bounded(why);
    kept.since = loop.wall();
    history.add(kept.order.key(), loop.wall(), kept.state(), kept.because);
    LOG.info(
        "bundle {} {}: {}: {}", kept.order.key(), kept.order.version(), kept.state(), kept.because);
  }

  /** Returns true if the bundle of an order is kept, verified by the trust of today. */
  private boolean ready(ModuleOrder order) {
    return log.snapshot()
        .bundle(order.key())
        .filter(bundle -> is(bundle, order))
        .filter(bundle -> settings.trust(order.key().user()).equals(bundle.trust()))
        .filter(bundle -> loop.wall() < bundle.goodUntil())
        .filter(bundle -> store.contains(bundle.sha256()))
        .isPresent();
  }

  private static boolean is(FetchedBundle bundle, ModuleOrder order) {
    return bundle.is(order.version(), order.sha256().orElse(""));
  }

  private static boolean same(ModuleOrder one, ModuleOrder other) {
    return one.version().equals(other.version()) && one.sha256().equals(other.sha256());
  }

  private static FetchOrder order(ModuleOrder order) {
    return new FetchOrder(
        order.key().user(), order.url(), order.sha256(), order.key().module(), order.version());
  }

  private void append(LogRecord record) {
    try {
      log.append(List.of(record));
    } catch (LogException e) {
      // After a restart the bundle is fetched again, or given up then.
      LOG.error("log: {}", e.getMessage());
    }
  }
}
