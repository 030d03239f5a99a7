// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.netserv.values.BadValueException;
import org.netserv.values.Prefix;

/**
 * The bounds of a delegation as the publisher has written them: one line {@code name:value LF} for
 * each bound, in the order of {@link Bound}, each value canonical. Immutable.
 */
public final class DelegationBounds {
  /** Longest text in bytes of UTF-8. */
  public static final int MAX_BYTES = 2048;

  private final Map<Bound, String> values;

  private DelegationBounds(Map<Bound, String> values) {
    this.values = values;
  }

  /**
   * Makes bounds of values as they may be written.
   *
   * @throws BadValueException naming the bound
   */
  public static DelegationBounds of(Map<Bound, String> values) throws BadValueException {
    Map<Bound, String> canonical = new EnumMap<>(Bound.class);
    for (Map.Entry<Bound, String> entry : values.entrySet()) {
      canonical.put(entry.getKey(), entry.getKey().canonical(entry.getValue()));
    }
    DelegationBounds bounds = new DelegationBounds(Collections.unmodifiableMap(canonical));
    bounds.requireWhole();
    if (bounds.print().getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
      throw new BadValueException("bounds longer than " + MAX_BYTES + " bytes");
    }
    return bounds;
  }

  /**
   * Reads the text. There is one text for the same bounds.
   *
   * @throws BadValueException naming the bound or the line
   */
  static DelegationBounds parse(String text) throws BadValueException {
    if (text.length() > MAX_BYTES) {
      throw new BadValueException("bounds longer than " + MAX_BYTES + " bytes");
    }
    Map<Bound, String> values = new EnumMap<>(Bound.class);
    for (String line : text.lines().toList()) {
      int colon = line.indexOf(':');
      Bound bound = colon < 0 ? null : Bound.ofText(line.substring(0, colon));
      if (bound == null) {
        throw new BadValueException("unknown bound " + BadValueException.quote(line));
      }
      if (values.put(bound, line.substring(colon + 1)) != null) {
        throw new BadValueException(bound.text() + ": given twice");
      }
    }
    DelegationBounds bounds = of(values);
    if (!bounds.print().equals(text)) {
      throw new BadValueException("bounds not in their canonical form");
    }
    return bounds;
  }

  private void requireWhole() throws BadValueException {
    require(Bound.METHODS);
    require(Bound.MODULES);
    require(Bound.TO);
    if (methods().contains(Method.SETUP)) {
      require(Bound.URL);
      require(Bound.MAX_TTL);
      if (modules().stream().anyMatch(module -> module.digest().isEmpty())) {
        throw new BadValueException("modules: each needs its digest, because SETUP is delegated");
      }
    }
  }

  private void require(Bound bound) throws BadValueException {
    if (!has(bound)) {
      throw new BadValueException(bound.text() + ": missing");
    }
  }

  /** Prints one line for each bound. */
  public String print() {
    StringBuilder text = new StringBuilder();
    values.forEach(
        (bound, value) -> text.append(bound.text()).append(':').append(value).append('\n'));
    return text.toString();
  }

  /** Returns the canonical values in the order of printing; unmodifiable. */
  public Map<Bound, String> values() {
    return values;
  }

  boolean has(Bound bound) {
    return values.containsKey(bound);
  }

  /** Returns the canonical text of a bound, or null. */
  String get(Bound bound) {
    return values.get(bound);
  }

  Set<Method> methods() {
    return read(Bound.METHODS, Bound::methods);
  }

  List<DelegatedModule> modules() {
    return read(Bound.MODULES, Bound::modules);
  }

  /** Returns the prefixes of a bound that has prefixes. The bound must be there. */
  List<Prefix> prefixes(Bound bound) {
    return read(bound, Bound::prefixes);
  }

  /** Returns the longest {@code ttl} in seconds. The bound must be there. */
  public int maxTtl() {
    return Integer.parseInt(get(Bound.MAX_TTL));
  }

  /** Returns the digest of a module that has one digest here. */
  public Optional<String> digest(String module) {
    List<DelegatedModule> named =
        modules().stream().filter(m -> m.name().equals(module) && !m.digest().isEmpty()).toList();
    return named.size() == 1 ? Optional.of(named.get(0).digest()) : Optional.empty();
  }

  /**
   * Returns the headers that a SETUP has with exactly these values, and no others of their kind.
   */
  public Map<Header, String> settings() {
    Map<Header, String> settings = new EnumMap<>(Header.class);
    values.forEach((bound, value) -> bound.setting().ifPresent(h -> settings.put(h, value)));
    return settings;
  }

  private interface Reader<T> {
    T read(String text) throws BadValueException;
  }

  private <T> T read(Bound bound, Reader<T> reader) {
    try {
      return reader.read(get(bound));
    } catch (BadValueException e) {
      throw new IllegalStateException(bound.text() + " was checked when the bounds were made", e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DelegationBounds that && values.equals(that.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return print();
  }
}
