// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.run;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds in a module's history what is said about packets that were held when something died. */
final class HeldReport {
  private static final Pattern HELD = Pattern.compile("held[ =:]*(\\d+)|(\\d+)[a-z ]* held");

  private HeldReport() {}

  /** The first new statement, such as {@code held 3}; empty without one. */
  static String find(String now, String before) {
    Set<String> reasons = new HashSet<>(Set.of(reasons(before)));
    for (String reason : reasons(now)) {
      Matcher held = HELD.matcher(reason);
      if (!reasons.contains(reason) && held.find()) {
        return held.group();
      }
    }
    return "";
  }

  /** Each entry of the history, its time included, so that equal reasons differ. */
  private static String[] reasons(String json) {
    return new HashSet<>(java.util.Arrays.asList(json.split("\\},?\\{", -1)))
        .toArray(String[]::new);
  }
}
