// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.health;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.netserv.coverage.count.Counters;
import org.netserv.origin.count.OriginCounter;
import org.netserv.origin.health.HealthMachine.Event;
import org.netserv.origin.health.HealthMachine.State;
import org.netserv.origin.health.HealthPort.Outcome;

/**
 * Carries out {@link HealthMachine} for the modules that run. A module is checked each interval,
 * and after a second while it is new or in doubt. Belongs to the director's thread. Times are
 * milliseconds since 1970.
 */
public final class Health {
  private static final long SOON = 1_000;
  private static final int MOST_CHECKS = 32;

  private final HealthPort port;
  private final long interval;
  private final Counters counters;
  private final Listener listener;
  private final Map<String, Checked> modules = new LinkedHashMap<>();
  private int checks;

  /** Hears of modules that answer, or cease to. */
  public interface Listener {
    void up(String nodeId);

    void down(String nodeId);
  }

  private static final class Checked {
    private final String url;
    private State state = State.NEW;
    private long due;
    private boolean asking;

    Checked(String url, long due) {
      this.url = url;
      this.due = due;
    }
  }

  /** Checks nothing yet. */
  public Health(HealthPort port, long interval, Counters counters, Listener listener) {
    this.port = port;
    this.interval = interval;
    this.counters = counters;
    this.listener = listener;
  }

  /**
   * Checks what is due.
   *
   * @param running maps the nodes that run the module to the URLs to ask
   */
  public void turn(Map<String, String> running, long now) {
    modules.entrySet().removeIf(known -> !known.getValue().url.equals(running.get(known.getKey())));
    running.forEach((id, url) -> modules.computeIfAbsent(id, added -> new Checked(url, now)));
    modules.forEach((id, module) -> check(id, module, now));
  }

  private void check(String id, Checked module, long now) {
    if (module.asking || module.due > now || checks >= MOST_CHECKS) {
      return;
    }
    checks++;
    module.asking = true;
    module.due = now + interval;
    counters.add(OriginCounter.CHECKS);
    port.check(module.url, outcome -> checked(id, module, outcome, now));
  }

  private void checked(String id, Checked module, Outcome outcome, long asked) {
    checks--;
    module.asking = false;
    if (modules.get(id) != module) {
      return;
    }
    switch (outcome) {
      case ANSWERED -> {}
      case SILENT -> counters.add(OriginCounter.CHECKS_SILENT);
      case REFUSED -> counters.add(OriginCounter.CHECKS_REFUSED);
    }
    State before = module.state;
    module.state = HealthMachine.next(before, Event.valueOf(outcome.name()));
    if (module.state == State.NEW || module.state == State.DOUBTED) {
      module.due = Math.min(module.due, asked + SOON);
    }
    if (module.state != before) {
      tell(id, module.state);
    }
  }

  private void tell(String id, State state) {
    if (state == State.UP) {
      counters.add(OriginCounter.EDGES_UP);
      listener.up(id);
    } else if (state == State.DOWN) {
      counters.add(OriginCounter.EDGES_DOWN);
      listener.down(id);
    }
  }

  /** Tells whether users may be sent to a module. */
  public boolean answers(String nodeId) {
    Checked module = modules.get(nodeId);
    return module != null && (module.state == State.UP || module.state == State.DOUBTED);
  }

  /** Returns the state of a module for people. */
  public String state(String nodeId) {
    Checked module = modules.get(nodeId);
    return module == null ? "not checked" : module.state.name().toLowerCase(Locale.ROOT);
  }
}
