// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.spawner.FirewallState;
import org.netserv.filter.FlowFilter;

/**
 * Tells whether packets reach a module that runs, or pass by it because the firewall is damaged.
 * Lives on the loop.
 */
public final class PacketPath {
  /** The state that people and JSON see of a module that runs while packets pass by it. */
  private static final String BYPASSED = "bypassed";

  private final Loop loop;
  private final ModuleTable modules;
  private final FirewallState firewall;
  private final ModuleHistory history;

  PacketPath(Loop loop, ModuleTable modules, FirewallState firewall, ModuleHistory history) {
    this.loop = loop;
    this.modules = modules;
    this.firewall = firewall;
    this.history = history;
    firewall.whenChanged(this::damaged);
  }

  /**
   * Notes in the history how damage of the firewall has affected modules. Keeps the last note of
   * each module.
   */
  private void damaged(FirewallState.Damage damage) {
    for (ModuleLife life : modules.lives()) {
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
    return modules.active(key).flatMap(life -> firewall.bypass(families(life)));
  }

  /**
   * Returns the reason why packets pass by a module that runs; empty if they do not, or it does not
   * run.
   */
  public Optional<String> bypassed(ModuleLife life) {
    return life.state == ModuleState.RUNNING ? firewall.bypass(families(life)) : Optional.empty();
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
   * Returns the families of its filters for packets that have a rule in the firewall. Filters that
   * count have none.
   */
  private static Set<Integer> families(ModuleLife life) {
    return life.order.filters().stream()
        .filter(filter -> filter.count() == null && !filter.takes())
        .map(FlowFilter::family)
        .collect(Collectors.toSet());
  }
}
