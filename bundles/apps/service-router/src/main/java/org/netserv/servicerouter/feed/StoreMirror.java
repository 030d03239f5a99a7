// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.feed;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.netserv.packet.Tally;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.TableRefusal;
import org.netserv.servicerouter.core.Outcome;
import org.netserv.servicerouter.core.Preference;
import org.netserv.servicerouter.core.Routing;

/**
 * The rules of a store that several routers share, as the table has them. They live as long as the
 * store is heard of, and one lifetime more.
 *
 * <pre>
 *   snapshot    the rules are those of the snapshot
 *   put         one rule is new or another one
 *   remove      one rule is gone
 *   alive       the lifetime of all rules begins anew, if a third of it is over
 *   silence     the rules end by their lifetime
 * </pre>
 */
public final class StoreMirror {
  /**
   * An entry of the store: {@code DIGITS/BITS/NAME}, and {@code ADDRESS:PORT[*WEIGHT][@PRIORITY]}.
   */
  public record Entry(String key, String value) {}

  private final Function<Entry, Rule> reader;
  private final String own;
  private final int most;
  private final long life;
  private final Routing routing;
  private final Tally<Outcome> tally;
  private final Map<String, Rule> rules = new HashMap<>();
  private long renewAt;

  /**
   * Makes an empty mirror.
   *
   * @param reader returns the rule of an entry, and throws IllegalArgumentException if it is none
   * @param own the name of this router, whose entries are passed over
   * @param most rules
   * @param life milliseconds of a rule
   */
  public StoreMirror(
      Function<Entry, Rule> reader,
      String own,
      int most,
      long life,
      Routing routing,
      Tally<Outcome> tally) {
    this.reader = reader;
    this.own = own;
    this.most = most;
    this.life = life;
    this.routing = routing;
    this.tally = tally;
  }

  /** Takes all entries that the store has. */
  public void snapshot(Iterable<Entry> entries, long now) {
    renewAt = now + life / 3;
    Set<String> there = new HashSet<>();
    for (Entry entry : entries) {
      there.add(entry.key());
      put(entry, now);
    }
    Set<String> gone = new HashSet<>(rules.keySet());
    gone.removeAll(there);
    gone.forEach(this::remove);
  }

  /** Takes an entry that is new or another one. */
  public void put(Entry entry, long now) {
    String name = entry.key().substring(entry.key().lastIndexOf('/') + 1);
    if (name.equals(own)) {
      return;
    }
    Rule former = rules.get(entry.key());
    Rule rule = former == null && rules.size() >= most ? null : read(entry, name, now);
    if (former != null && (rule == null || !former.target().equals(rule.target()))) {
      remove(entry.key());
    }
    if (rule == null) {
      tally.count(Outcome.STORE_REFUSED);
    } else if (routing.put(rule, now) == TableRefusal.OK) {
      rules.put(entry.key(), rule);
    }
  }

  private Rule read(Entry entry, String name, long now) {
    try {
      Rule read = reader.apply(entry);
      return read.action() == RuleAction.FORWARD
          ? new Rule(
              read.prefix(),
              RuleAction.FORWARD,
              read.target(),
              new Rank(Preference.STORE, read.rank().priority()),
              read.weight(),
              new Origin(Origin.Kind.STORE, name),
              now + life)
          : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Takes an entry back. */
  public void remove(String key) {
    Rule rule = rules.remove(key);
    if (rule != null) {
      routing.withdraw(rule);
    }
  }

  /** The store has been heard of. */
  public void alive(long now) {
    if (now < renewAt) {
      return;
    }
    renewAt = now + life / 3;
    rules.replaceAll((key, rule) -> renewed(rule, now));
  }

  private Rule renewed(Rule rule, long now) {
    Rule next =
        new Rule(
            rule.prefix(),
            rule.action(),
            rule.target(),
            rule.rank(),
            rule.weight(),
            rule.origin(),
            now + life);
    routing.put(next, now);
    return next;
  }

  /** Returns the number of entries that are rules. */
  public int size() {
    return rules.size();
  }
}
