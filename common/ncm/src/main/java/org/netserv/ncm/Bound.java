// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.netserv.values.BadValueException;
import org.netserv.values.Numbers;
import org.netserv.values.Prefix;

/**
 * The bounds of a {@link Delegation}, in the order of printing. Each bound narrows the messages
 * that the delegate may sign. {@link DelegationCheck} compares them with a message.
 */
public enum Bound {
  /** Methods: SETUP, REMOVE and PROBE, in this order. Always there. */
  METHODS("methods"),
  /** Modules: {@code name;digest}, or {@code name} where no SETUP is meant. Always there. */
  MODULES("modules"),
  /** Prefixes of flow destinations. Always there. */
  TO("to"),
  /** Prefixes of flow sources. Absent: any source. */
  FROM("from"),
  /** {@code yes}: only a node acts that the source of the flow is the previous hop of. */
  PROVEN("proven"),
  /** The header {@code filter-port}, exactly. Absent: none. So are the next five. */
  FILTER_PORT("filter-port", Header.FILTER_PORT),
  FILTER_PROTO("filter-proto", Header.FILTER_PROTO),
  FILTER_PREFIX("filter-prefix", Header.FILTER_PREFIX),
  FILTER_MATCH("filter-match", Header.FILTER_MATCH),
  PROPERTIES("properties", Header.PROPERTIES),
  IDLE_TTL("idle-ttl", Header.IDLE_TTL),
  /** The URL of the bundle, or its beginning if it ends in a slash. Needed for SETUP. */
  URL("url"),
  /** The longest {@code ttl} in seconds. Needed for SETUP. */
  MAX_TTL("max-ttl");

  /** Most modules of a delegation. */
  static final int MAX_MODULES = 8;

  /** Most prefixes in one bound. */
  static final int MAX_PREFIXES = 16;

  /** Longest {@code max-ttl} in seconds. */
  static final int LONGEST_TTL = 86_400;

  private static final Map<String, Bound> BY_TEXT =
      Arrays.stream(values()).collect(Collectors.toMap(b -> b.text, Function.identity()));

  private final String text;
  private final Header setting;

  Bound(String text) {
    this(text, null);
  }

  Bound(String text, Header setting) {
    this.text = text;
    this.setting = setting;
  }

  /** Returns the header that has exactly the value of this bound; empty for other bounds. */
  public Optional<Header> setting() {
    return Optional.ofNullable(setting);
  }

  /** Returns the name as it stands before the colon. */
  public String text() {
    return text;
  }

  /** Returns the bound of that name, or null. */
  static Bound ofText(String text) {
    return BY_TEXT.get(text);
  }

  /** Returns the canonical text of a value, and refuses a value that does not read. */
  String canonical(String value) throws BadValueException {
    try {
      return switch (this) {
        case METHODS -> join(methods(value));
        case MODULES -> join(modules(value));
        case TO, FROM -> join(prefixes(value));
        case PROVEN -> yes(value);
        case FILTER_PORT, FILTER_PROTO, FILTER_PREFIX, FILTER_MATCH, PROPERTIES, IDLE_TTL ->
            setting(value);
        case URL -> Header.URL.canonical(value);
        case MAX_TTL -> Integer.toString(Numbers.inRange(value, 1, LONGEST_TTL, "seconds"));
      };
    } catch (NcmException e) {
      throw new BadValueException(text + ": " + e.reason(), e);
    } catch (BadValueException e) {
      throw new BadValueException(text + ": " + e.getMessage(), e);
    }
  }

  static Set<Method> methods(String text) throws BadValueException {
    Set<Method> methods = EnumSet.noneOf(Method.class);
    for (String item : text.split(",", -1)) {
      Method method = Method.ofName(item);
      if (method == null) {
        throw new BadValueException("not SETUP, REMOVE or PROBE: " + BadValueException.quote(item));
      }
      if (!methods.add(method)) {
        throw new BadValueException("the same twice in the list");
      }
    }
    return methods;
  }

  static List<DelegatedModule> modules(String text) throws BadValueException {
    String[] items = text.split(",", -1);
    if (items.length > MAX_MODULES) {
      throw new BadValueException("more than " + MAX_MODULES + " in the list");
    }
    Set<DelegatedModule> modules = new HashSet<>();
    for (String item : items) {
      if (!modules.add(DelegatedModule.parse(item))) {
        throw new BadValueException("the same twice in the list");
      }
    }
    return modules.stream().sorted().toList();
  }

  static List<Prefix> prefixes(String text) throws BadValueException {
    List<Prefix> prefixes = HeaderValues.prefixList(text);
    if (prefixes.isEmpty() || prefixes.size() > MAX_PREFIXES) {
      throw new BadValueException("not 1 to " + MAX_PREFIXES + " prefixes");
    }
    return prefixes;
  }

  private static String yes(String text) throws BadValueException {
    if (!text.equals("yes")) {
      throw new BadValueException("not yes: " + BadValueException.quote(text));
    }
    return text;
  }

  private String setting(String value) throws BadValueException, NcmException {
    if (value.isEmpty()) {
      throw new BadValueException("empty; leave the bound out for none");
    }
    return setting.canonical(value);
  }

  private static String join(Iterable<?> items) {
    StringBuilder text = new StringBuilder();
    items.forEach(item -> text.append(text.length() == 0 ? "" : ",").append(item));
    return text.toString();
  }
}
