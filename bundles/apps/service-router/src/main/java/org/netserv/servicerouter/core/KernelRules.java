// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.util.List;
import org.netserv.packet.ServiceRules;
import org.netserv.packet.Tally;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.ServiceTable;

/**
 * Keeps the kernel's rules as the table's are, for each family of addresses that the router has.
 * The kernel takes the longest prefix among the rules that it has. So it gets each prefix within
 * another that it routes: one that it cannot route itself, such as a DELAY, it leaves to this
 * module.
 *
 * <pre>
 *   a prefix of the table                  in the kernel
 *   1 to 8 targets of the family           each target
 *   DELAY, DROP, the router itself,        left to the module by a rule, if a prefix with targets
 *   more targets, or of another family     covers it; else by no rule
 *   a target that is refused, or has       the same, while its targets are the same; without room
 *   no room                                tried again after 30 s
 *   the rule for the module is refused     no prefix at all, tried again after 30 s
 * </pre>
 *
 * <p>Only prefixes that have changed are looked at, some thousands at each tick, and a tenth of the
 * kernel's rules each 100 ms: rules that an earlier bpfd took with it come back within seconds.
 */
final class KernelRules {
  private final ServiceRules kernel;
  private final List<KernelFamily> families;

  /**
   * Gives nothing yet.
   *
   * @param kernel null if the node has none
   */
  KernelRules(ServiceRules kernel, ServiceTable table, Plan plan, Tally<Outcome> tally) {
    this.kernel = kernel;
    families =
        kernel == null
            ? List.of()
            : plan.addresses().stream()
                .map(own -> new KernelFamily(kernel, table, plan, tally, own))
                .toList();
    table.watch(prefix -> families.forEach(family -> family.changed(prefix)));
  }

  /** Does all that is due. */
  void tick(long now) {
    if (families.isEmpty()) {
      return;
    }
    boolean available = kernel.available();
    for (KernelFamily family : families) {
      if (available) {
        family.tick(now);
      } else {
        family.lose();
      }
    }
  }

  /** Tells whether the kernel routes by a rule of the table. */
  boolean has(Rule rule) {
    return families.stream().anyMatch(family -> family.has(rule));
  }

  /** Takes all rules back, the shortest prefixes first. */
  void close() {
    families.forEach(KernelFamily::close);
  }
}
