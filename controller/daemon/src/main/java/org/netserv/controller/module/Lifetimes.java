// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.netserv.controller.log.DesiredModule;
import org.netserv.controller.log.FetchedBundle;
import org.netserv.controller.log.LogException;
import org.netserv.controller.log.LogRecord;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.log.NcmLog;
import org.netserv.controller.log.StateImage;
import org.netserv.controller.loop.Loop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends claims at their deadline, and modules that nobody uses. Deadlines are wall-clock times, so
 * that they survive a restart. A clock that steps must not keep a module for ever. So a claim also
 * ends when its whole ttl of monotonic time has passed since this process first saw its deadline,
 * if that comes first. A step forward ends a claim early, and the publisher refreshes it (soft
 * state). A step back never lengthens a claim by more than one ttl.
 */
public final class Lifetimes {
  private static final Logger LOG = LoggerFactory.getLogger(Lifetimes.class);
  private static final long TICK = 1_000;

  private final Loop loop;
  private final NcmLog log;
  private final Modules modules;
  private final ToLongFunction<ModuleKey> use;
  private final Map<ClaimKey, Seen> seen = new HashMap<>();
  private final Map<ModuleKey, Idle> idle = new HashMap<>();

  /**
   * Does nothing before {@link #start}.
   *
   * @param use of a module; another number than before means that the module has been used
   *     meanwhile
   */
  public Lifetimes(Loop loop, NcmLog log, Modules modules, ToLongFunction<ModuleKey> use) {
    this.loop = loop;
    this.log = log;
    this.modules = modules;
    this.use = use;
  }

  /** Checks once a second from now on. */
  public void start() {
    loop.after(
        TICK,
        () -> {
          tick();
          start();
        });
  }

  /** Ends the claims and modules that are due now. */
  public void tick() {
    for (DesiredModule module : log.snapshot().modules()) {
      for (StateImage.Claim claim : module.claims()) {
        if (due(new ClaimKey(module.key(), claim.session(), false), claim)) {
          lapse(module.key(), claim);
        }
      }
    }
    for (FetchedBundle bundle : log.snapshot().bundles()) {
      for (StateImage.Claim claim : bundle.claims()) {
        if (due(new ClaimKey(bundle.key(), claim.session(), true), claim)) {
          lapse(bundle, claim);
        }
      }
    }
    for (DesiredModule module : log.snapshot().modules()) {
      checkIdle(module);
    }
    seen.keySet().removeIf(k -> claim(k).isEmpty());
    idle.keySet().removeIf(k -> log.snapshot().module(k).isEmpty());
  }

  private Optional<StateImage.Claim> claim(ClaimKey key) {
    return key.bundle
        ? log.snapshot().bundle(key.module).flatMap(b -> b.claim(key.session))
        : log.snapshot().module(key.module).flatMap(m -> m.claim(key.session));
  }

  private void lapse(FetchedBundle bundle, StateImage.Claim claim) {
    boolean last = log.snapshot().bundle(bundle.key()).filter(b -> b.claims().size() > 1).isEmpty();
    String why = "its last claim ran out";
    append(
        new LogRecord.Dropped(
            loop.wall(), bundle.user(), bundle.module(), claim.session(), null, why));
    if (last) {
      modules.fetched().lapsed(bundle.key(), new Answer(410, "ttl", why));
    }
  }

  private boolean due(ClaimKey key, StateImage.Claim claim) {
    Seen first = seen.get(key);
    if (first == null || first.deadline != claim.deadline()) {
      first = new Seen(claim.deadline(), loop.monotonic());
      seen.put(key, first);
    }
    return loop.wall() >= claim.deadline() || loop.monotonic() - first.at >= claim.ttlMillis();
  }

  private void lapse(ModuleKey key, StateImage.Claim claim) {
    Optional<DesiredModule> module = log.snapshot().module(key);
    boolean last = module.filter(m -> m.claims().size() > 1).isEmpty();
    append(new LogRecord.Lapsed(loop.wall(), key.user(), key.module(), claim.session()));
    // A log that cannot be written keeps no module longer. The record follows at a later tick.
    if (last && modules.present(key)) {
      modules.remove(
          key, ModuleState.EXPIRED, new Answer(410, "ttl", "its last claim ran out"), () -> {});
    }
  }

  /**
   * Ends a module that has been idle for too long. Idle time counts from the last use, and from the
   * first sight of the module as running.
   */
  private void checkIdle(DesiredModule module) {
    long limit = module.current().idleMillis();
    boolean running =
        modules.livesOf(module.key().user()).stream()
            .anyMatch(l -> l.key().equals(module.key()) && l.state() == ModuleState.RUNNING);
    if (limit <= 0 || !running) {
      idle.remove(module.key());
      return;
    }
    long now = use.applyAsLong(module.key());
    Idle before = idle.get(module.key());
    if (before == null || before.use != now) {
      before = new Idle(now, loop.monotonic());
      idle.put(module.key(), before);
    }
    if (loop.monotonic() - before.at >= limit) {
      String why = "no packet and no connection for " + limit / 1000 + " s";
      append(new LogRecord.Ended(loop.wall(), module.key().user(), module.key().module(), why));
      modules.remove(module.key(), ModuleState.EXPIRED, new Answer(410, "idle-ttl", why), () -> {});
    }
  }

  private void append(LogRecord record) {
    try {
      log.append(List.of(record));
    } catch (LogException e) {
      LOG.error("{}", e.getMessage());
    }
  }

  private record ClaimKey(ModuleKey module, String session, boolean bundle) {}

  private record Seen(long deadline, long at) {}

  /** The last reported use of a module, and the monotonic time at which the report was new. */
  private record Idle(long use, long at) {}
}
