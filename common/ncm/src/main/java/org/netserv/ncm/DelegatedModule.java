// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.util.Comparator;
import org.netserv.values.BadValueException;

/**
 * A module in the bounds of a delegation: {@code name} or {@code name;digest}.
 *
 * @param name Bundle-SymbolicName
 * @param digest SHA-256 of the bundle, 64 hexadecimal digits in lower case; empty = no SETUP
 */
public record DelegatedModule(String name, String digest) implements Comparable<DelegatedModule> {
  private static final Comparator<DelegatedModule> ORDER =
      Comparator.comparing(DelegatedModule::name).thenComparing(DelegatedModule::digest);

  static DelegatedModule parse(String text) throws BadValueException {
    int semicolon = text.indexOf(';');
    String name = semicolon < 0 ? text : text.substring(0, semicolon);
    ModuleName.requireSymbolicName(name);
    try {
      String digest = semicolon < 0 ? "" : Header.DIGEST.canonical(text.substring(semicolon + 1));
      return new DelegatedModule(name, digest);
    } catch (NcmException e) {
      throw new BadValueException(e.getMessage(), e);
    }
  }

  @Override
  public int compareTo(DelegatedModule other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return digest.isEmpty() ? name : name + ";" + digest;
  }
}
