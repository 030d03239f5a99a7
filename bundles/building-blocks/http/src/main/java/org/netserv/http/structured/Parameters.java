// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.structured;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The parameters of an item or inner list (RFC 9651, 3.1.2), in their order.
 *
 * @param values by key; an unmodifiable copy is kept
 */
public record Parameters(Map<String, BareItem> values) {
  /** No parameters. */
  public static final Parameters NONE = new Parameters(Map.of());

  /**
   * Copies the map.
   *
   * @throws IllegalArgumentException if a key is none by 3.1.2
   */
  public Parameters {
    values.keySet().forEach(Parameters::checkKey);
    values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
  }

  static void checkKey(String key) {
    if (!Syntax.isKey(key)) {
      throw new IllegalArgumentException("no key: " + key);
    }
  }

  /** Returns the value of a key, or null. */
  public BareItem get(String key) {
    return values.get(key);
  }
}
