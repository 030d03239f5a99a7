// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.util.ArrayList;
import java.util.List;
import org.netserv.values.BadValueException;
import org.netserv.values.VersionRange;

/** A building block that must be present: {@code name;range}, or {@code name} for any version. */
public record Dependency(String name, VersionRange range) {

  /** Reads a list. The commas inside a range's brackets do not separate. */
  public static List<Dependency> parseList(String text) throws BadValueException {
    List<Dependency> list = new ArrayList<>();
    int start = 0;
    boolean inside = false;
    for (int i = 0; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : ',';
      if (c == '[' || c == '(') {
        inside = true;
      } else if (c == ']' || c == ')') {
        inside = false;
      } else if (c == ',' && (!inside || i == text.length())) {
        list.add(parse(text.substring(start, i)));
        start = i + 1;
      }
    }
    return List.copyOf(list);
  }

  private static Dependency parse(String text) throws BadValueException {
    int semicolon = text.indexOf(';');
    String name = semicolon < 0 ? text : text.substring(0, semicolon);
    ModuleName.requireSymbolicName(name);
    return new Dependency(
        name, semicolon < 0 ? VersionRange.ANY : VersionRange.parse(text.substring(semicolon + 1)));
  }

  @Override
  public String toString() {
    return range.equals(VersionRange.ANY) ? name : name + ";" + range;
  }
}
