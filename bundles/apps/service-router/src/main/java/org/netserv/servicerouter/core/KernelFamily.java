// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.netserv.packet.ServiceRuleEntry;
import org.netserv.packet.ServiceRuleEntry.Kind;
import org.netserv.packet.ServiceRules;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.ServiceTable;
import org.netserv.serval.table.Target;

/** The kernel's rules for packets to the router's address of one family. */
final class KernelFamily {
  private static final int TARGETS_MOST = 8;
  private static final int PREFIXES_MOST = 4096;
  private static final int LOOK_MILLIS = 100;
  private static final int LOOKS_LEAST = 256;
  private static final int LOOKS_SHARE = 10;
  private static final int REST_MILLIS = 30_000;
  private static final int AGAIN_MOST = 1024;
  private static final int IPV6_BYTES = 16;
  private static final int IPV4_BYTES = 4;

  private final ServiceTable table;
  private final Plan plan;
  private final Tally<Outcome> tally;
  private final boolean ipv4;
  private final InetSocketAddress router;
  private final GivenRules given;

  /** Prefixes whose rules may differ from the kernel's, the longest first. */
  private final TreeSet<ServicePrefix> dirty =
      new TreeSet<>(
          Comparator.comparingInt(ServicePrefix::bits).reversed().thenComparing(ServicePrefix::id));

  /** Prefixes with targets in the kernel. */
  private final PrefixSet routable = new PrefixSet();

  /** All other prefixes of the table. The prefixes that one prefix covers follow it. */
  private final TreeSet<ServicePrefix> others =
      new TreeSet<>(Comparator.comparing(ServicePrefix::id).thenComparingInt(ServicePrefix::bits));

  /** Prefixes of which the kernel has refused a target, with their targets then. */
  private final Map<ServicePrefix, Set<Target>> left = new HashMap<>();

  /** Prefixes among them that the kernel may take later. */
  private final Set<ServicePrefix> later = new HashSet<>();

  private boolean peersAsked;
  private boolean all = true;
  private long restUntil = Long.MIN_VALUE;
  private long lookAt = Long.MIN_VALUE;
  private long againAt = Long.MIN_VALUE;

  KernelFamily(
      ServiceRules kernel, ServiceTable table, Plan plan, Tally<Outcome> tally, Endpoint own) {
    this.table = table;
    this.plan = plan;
    this.tally = tally;
    ipv4 = own.isIpv4();
    router = address(own);
    given = new GivenRules(kernel, tally);
  }

  /** Notes that rules of a prefix have changed. */
  void changed(ServicePrefix prefix) {
    if (!all) {
      dirty.add(prefix);
    }
  }

  /** Notes that changes are not worth a note, because all prefixes must be compared later. */
  void lose() {
    all = true;
    dirty.clear();
  }

  /** Does what is due. */
  void tick(long now) {
    if (now < restUntil) {
      return;
    }
    if (all) {
      all = false;
      dirty.addAll(table.prefixes());
      dirty.addAll(given.prefixes().stream().filter(each -> each != null).toList());
      dirty.addAll(routable.all());
      dirty.addAll(others);
    }
    if (now >= lookAt) {
      lookAt = now + LOOK_MILLIS;
      if (!look(now)) {
        rest(now);
        return;
      }
    }
    for (int i = 0; i < PREFIXES_MOST && !dirty.isEmpty(); i++) {
      if (!give(dirty.pollFirst(), now)) {
        rest(now);
        return;
      }
    }
    given.drop(); // last, so that no packet goes by a shorter prefix meanwhile
  }

  /** Tells whether the kernel has taken a rule of the table. */
  boolean has(Rule rule) {
    Endpoint target = rule.target().address();
    return target != null && target.isIpv4() == ipv4 && given.has(rule.prefix(), address(target));
  }

  // ---- prefixes

  /** Makes the kernel's rules of a prefix as the table's. Returns false if it is to have none. */
  private boolean give(ServicePrefix prefix, long now) {
    List<Rule> rules = table.counting(prefix, now);
    if (rules.isEmpty()) {
      left.remove(prefix);
      later.remove(prefix);
      others.remove(prefix);
      hide(prefix);
      given.forget(prefix);
      return true;
    }
    if (isRoutable(rules) && !isLeft(prefix, rules)) {
      others.remove(prefix);
      if (routable.add(prefix) && touch(prefix)) {
        dirty.add(prefix); // the longer prefixes within come first
        return true;
      }
      if (askPeers(now) && given.ask(prefix, targets(prefix, rules), now)) {
        return true;
      }
      leave(prefix, rules, true);
    }
    others.add(prefix);
    hide(prefix);
    if (!routable.covers(prefix)) {
      given.forget(prefix); // without a rule a packet comes to this module, too
      return true;
    }
    return given.ask(prefix, Map.of(entry(Kind.MODULE, prefix, null, 0), Rule.FOREVER), now);
  }

  private void hide(ServicePrefix prefix) {
    if (routable.remove(prefix)) {
      touch(prefix);
    }
  }

  /** Notes the other prefixes within a prefix. Returns false if there are none. */
  private boolean touch(ServicePrefix prefix) {
    boolean some = false;
    for (ServicePrefix each : others.tailSet(prefix, false)) {
      if (!prefix.covers(each)) {
        break;
      }
      some = true;
      dirty.add(each);
    }
    return some;
  }

  private boolean isRoutable(List<Rule> rules) {
    return rules.size() <= TARGETS_MOST
        && rules.stream()
            .allMatch(
                rule ->
                    rule.action() == RuleAction.FORWARD
                        && rule.target().address().isIpv4() == ipv4);
  }

  private boolean askPeers(long now) {
    Map<ServiceRuleEntry, Long> peers = new LinkedHashMap<>();
    for (Endpoint peer : plan.routers()) {
      if (peer.isIpv4() == ipv4) {
        peers.put(entry(Kind.PEER, ServicePrefix.DEFAULT, address(peer), 0), Rule.FOREVER);
      }
    }
    return peers.isEmpty() || peersAsked || (peersAsked = given.ask(null, peers, now));
  }

  private Map<ServiceRuleEntry, Long> targets(ServicePrefix prefix, List<Rule> rules) {
    Map<ServiceRuleEntry, Long> wanted = new LinkedHashMap<>();
    for (Rule rule : rules) {
      InetSocketAddress target = address(rule.target().address());
      wanted.put(entry(Kind.TARGET, prefix, target, Math.max(1, rule.weight())), rule.until());
    }
    return wanted;
  }

  // ---- refusals

  /** Looks at a share of the rules. Returns false if the kernel is to have none. */
  private boolean look(long now) {
    int count = Math.max(LOOKS_LEAST, given.size() / LOOKS_SHARE);
    for (int i = Math.min(count, given.size()); i > 0; i--) {
      GivenRules.Given each = given.look(now);
      if (each != null && !judge(each, now)) {
        return false;
      }
    }
    if (now >= againAt) {
      againAt = now + REST_MILLIS;
      later.stream().limit(AGAIN_MOST).toList().forEach(this::again);
    }
    return true;
  }

  /** Has the kernel asked again for a prefix that it had no room for. */
  private void again(ServicePrefix prefix) {
    later.remove(prefix);
    left.remove(prefix);
    dirty.add(prefix);
  }

  private boolean judge(GivenRules.Given each, long now) {
    String reason = each.refusal();
    ServicePrefix prefix = each.prefix();
    if (reason.isEmpty()) {
      if (prefix != null) {
        dirty.add(prefix);
      }
      return true;
    }
    tally.count(Outcome.KERNEL_REFUSED);
    given.refused(each);
    if (reason.equals("direct")) {
      return false;
    }
    if (prefix == null) {
      return true;
    }
    dirty.add(prefix);
    if (reason.equals("taken")) { // by a rule that is about to go
      return true;
    }
    boolean target = each.entry().kind() == Kind.TARGET;
    if (target) {
      leave(prefix, table.counting(prefix, now), reason.equals("quota"));
    }
    return target;
  }

  /** Leaves a prefix to the module while its targets are the same. */
  private void leave(ServicePrefix prefix, List<Rule> rules, boolean mayFitLater) {
    left.put(prefix, targetsOf(rules));
    if (mayFitLater) {
      later.add(prefix);
    }
  }

  /** Tells whether a target of the prefix was refused, and its rules are still the same. */
  private boolean isLeft(ServicePrefix prefix, List<Rule> rules) {
    Set<Target> before = left.get(prefix);
    if (before == null) {
      return false;
    }
    if (before.equals(targetsOf(rules))) {
      return true;
    }
    left.remove(prefix);
    later.remove(prefix);
    return false;
  }

  private static Set<Target> targetsOf(List<Rule> rules) {
    Set<Target> targets = new HashSet<>();
    rules.forEach(rule -> targets.add(rule.target()));
    return targets;
  }

  /** Takes all rules back for a while. */
  private void rest(long now) {
    tally.count(Outcome.KERNEL_OFF);
    restUntil = now + REST_MILLIS;
    close();
  }

  /** Takes all rules back, the shortest prefixes first. */
  void close() {
    given.close();
    lose();
    routable.clear();
    others.clear();
    peersAsked = false;
  }

  // ---- entries

  private ServiceRuleEntry entry(
      Kind kind, ServicePrefix prefix, InetSocketAddress target, int weight) {
    ServiceId id = prefix.id();
    return new ServiceRuleEntry(
        kind,
        router,
        id.first(),
        id.second(),
        id.third(),
        id.fourth(),
        prefix.bits(),
        target,
        weight);
  }

  private static InetSocketAddress address(Endpoint endpoint) {
    byte[] bytes =
        endpoint.isIpv4()
            ? ByteBuffer.allocate(IPV4_BYTES).putInt(endpoint.ipv4()).array()
            : ByteBuffer.allocate(IPV6_BYTES)
                .putLong(endpoint.high())
                .putLong(endpoint.low())
                .array();
    try {
      return new InetSocketAddress(InetAddress.getByAddress(bytes), endpoint.port());
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // the length is right
    }
  }
}
