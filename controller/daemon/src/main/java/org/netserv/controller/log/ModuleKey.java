// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

import java.util.Comparator;

/**
 * The identity of a module: its publisher and its Bundle-SymbolicName. The version is not part of
 * it, because a new version replaces the old.
 */
public record ModuleKey(String user, String module) implements Comparable<ModuleKey> {
  private static final Comparator<ModuleKey> ORDER =
      Comparator.comparing(ModuleKey::user).thenComparing(ModuleKey::module);

  @Override
  public int compareTo(ModuleKey other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return user + "/" + module;
  }
}
