// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.spawner;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.netserv.controller.loop.Loop;
import org.netserv.process.ForeignText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of the node's rules in the kernel, as the spawner reports it. The spawner watches the
 * rules and puts back any that somebody changes. On the loop.
 */
public final class FirewallState {
  private static final Logger LOG = LoggerFactory.getLogger(FirewallState.class);
  private static final String MISSING = "firewall-missing";
  private static final int PARTS = 16;
  private static final int PART_CHARACTERS = 32;

  /** The state of the rules. */
  public enum Standing {
    /** No spawner reports it. */
    UNKNOWN,
    OK,
    /** Somebody has changed some rules, and they are not back yet. */
    DAMAGED,
    /** The rules that are there stay, but others cannot be written. */
    FAILING
  }

  /**
   * One damage. It begins with the event that first names a part, and ends with the event that
   * names none.
   *
   * @param parts all parts that were named meanwhile
   * @param since wall clock, milliseconds since 1970
   * @param millis duration; negative while it lasts
   */
  public record Damage(Set<String> parts, long since, long millis) {
    public boolean lasts() {
      return millis < 0;
    }
  }

  private final Loop loop;
  private boolean known;
  private Set<String> missing = Set.of();
  private String why = "";
  private long healed;
  private Optional<Damage> last = Optional.empty();
  private long begun;
  private Consumer<Damage> listener = damage -> {};

  /** Knows nothing yet. */
  public FirewallState(Loop loop) {
    this.loop = loop;
  }

  /** Sets the listener, which hears when a damage begins, grows or is over. */
  public void whenChanged(Consumer<Damage> told) {
    listener = told;
  }

  /**
   * Takes the keys of the event {@code firewall}. The reply to {@code prepare} has them as well.
   */
  public void changed(Map<String, String> values) {
    if (!values.containsKey(MISSING)) {
      lost();
      return;
    }
    SpawnerReply said = SpawnerReply.done(values);
    Set<String> now =
        said.list(MISSING).stream()
            .limit(PARTS)
            .map(part -> ForeignText.bounded(part, PART_CHARACTERS))
            .collect(Collectors.toCollection(LinkedHashSet::new));
    String reason = ForeignText.bounded(values.getOrDefault("firewall-why", ""));
    boolean other = !now.equals(missing);
    boolean news = !known || other || !reason.equals(why);
    known = true;
    missing = now;
    why = reason;
    healed = said.number("firewall-healed", 0);
    if (other) {
      damage();
    }
    if (news) {
      say();
    }
  }

  /** Forgets the state, because the connection to the spawner is gone. */
  public void lost() {
    known = false;
    missing = Set.of();
    why = "";
    last = last.filter(damage -> !damage.lasts());
  }

  private void damage() {
    Optional<Damage> open = last.filter(Damage::lasts);
    if (open.isEmpty()) {
      begun = loop.monotonic();
    }
    Set<String> before = open.map(Damage::parts).orElse(Set.of());
    Set<String> parts =
        Stream.concat(before.stream(), missing.stream())
            .distinct()
            .limit(PARTS)
            .collect(Collectors.toCollection(LinkedHashSet::new));
    long millis = missing.isEmpty() ? loop.monotonic() - begun : -1;
    Damage damage = new Damage(parts, open.map(Damage::since).orElse(loop.wall()), millis);
    last = Optional.of(damage);
    listener.accept(damage);
  }

  private void say() {
    String reason = why.isEmpty() ? "" : "; the last attempt: " + why;
    switch (standing()) {
      case DAMAGED ->
          LOG.warn("firewall: DAMAGED: {}: being put back{}", String.join(", ", missing), reason);
      case FAILING -> LOG.error("firewall: rules cannot be written: {}", why);
      default -> LOG.info("firewall: ok, put back {} times", healed);
    }
  }

  public Standing standing() {
    if (!known) {
      return Standing.UNKNOWN;
    }
    if (missing.isEmpty()) {
      return why.isEmpty() ? Standing.OK : Standing.FAILING;
    }
    return Standing.DAMAGED;
  }

  /** Returns the parts that somebody has changed and that are not back yet. */
  public Set<String> missing() {
    return missing;
  }

  /** Returns the reason why rules could not be written at last; empty if they could. */
  public String why() {
    return why;
  }

  /** Returns how often parts were put back since the spawner's start. */
  public long healed() {
    return healed;
  }

  /** Returns the damage that lasts, else the last one. */
  public Optional<Damage> last() {
    return last;
  }

  /**
   * Returns the reason why packets of these families (4, 6) pass by the modules that wait for them;
   * empty if they do not.
   */
  public Optional<String> bypass(Collection<Integer> families) {
    String parts = raw(missing, families);
    return parts.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "packets pass it by: its firewall rules in "
                + parts
                + " were changed and are not back yet"
                + (why.isEmpty() ? "" : ": " + why));
  }

  /**
   * Tells how the damage affected modules that wait for packets of these families; empty if it did
   * not.
   */
  public Optional<String> told(Damage damage, Collection<Integer> families) {
    String parts = raw(damage.parts(), families);
    if (damage.lasts() || parts.isEmpty()) {
      return bypass(families);
    }
    return Optional.of(
        "packets passed it by for %d ms: its firewall rules in %s were changed; put back %d times so far"
            .formatted(damage.millis(), parts, healed));
  }

  /** Returns the parts that bring packets of these families to queues. */
  private static String raw(Set<String> parts, Collection<Integer> families) {
    return parts.stream()
        .filter(part -> families.stream().anyMatch(family -> part.equals("raw" + family)))
        .collect(Collectors.joining(", "));
  }
}
