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
 * Whether the node's rules are in the kernel, as the spawner says: it watches them and puts back
 * what somebody changes. On the loop.
 */
public final class FirewallState {
  private static final Logger LOG = LoggerFactory.getLogger(FirewallState.class);
  private static final String MISSING = "firewall-missing";
  private static final int PARTS = 16;
  private static final int PART_CHARACTERS = 32;

  /** How the rules stand. */
  public enum Standing {
    /** No spawner says it. */
    UNKNOWN,
    OK,
    /** Somebody has changed some, and they are not back yet. */
    DAMAGED,
    /** Those that are there stay, and others cannot be written. */
    FAILING
  }

  /**
   * One damage, from the first event that names a part to the one that names none.
   *
   * @param parts all that were named meanwhile
   * @param since wall clock, milliseconds since 1970
   * @param millis how long it took; negative while it lasts
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

  /** Whom to tell when a damage begins, grows or is over. */
  public void whenChanged(Consumer<Damage> told) {
    listener = told;
  }

  /** The keys of the event {@code firewall}, which the reply to {@code prepare} has as well. */
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

  /** The connection to the spawner is gone. */
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

  /** Says why rules could not be written at last; empty if they could. */
  public String why() {
    return why;
  }

  /** Returns how often parts were put back since the spawner's start. */
  public long healed() {
    return healed;
  }

  /** The damage that lasts, or was the last one. */
  public Optional<Damage> last() {
    return last;
  }

  /**
   * Why packets of these families (4, 6) pass the modules by that wait for them; empty if they do
   * not.
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

  /** What the damage meant to modules that wait for packets of these families, if anything. */
  public Optional<String> told(Damage damage, Collection<Integer> families) {
    String parts = raw(damage.parts(), families);
    if (damage.lasts() || parts.isEmpty()) {
      return bypass(families);
    }
    return Optional.of(
        "packets passed it by for %d ms: its firewall rules in %s were changed; put back %d times so far"
            .formatted(damage.millis(), parts, healed));
  }

  /** The parts that bring packets of these families to queues. */
  private static String raw(Set<String> parts, Collection<Integer> families) {
    return parts.stream()
        .filter(part -> families.stream().anyMatch(family -> part.equals("raw" + family)))
        .collect(Collectors.joining(", "));
  }
}
