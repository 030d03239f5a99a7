// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.util.regex.Pattern;
import org.netserv.values.BadValueException;
import org.netserv.values.Version;

/**
 * The name in a request line: {@code <Bundle-SymbolicName>}, {@code
 * <Bundle-SymbolicName>_<version>} or {@code *}.
 *
 * <p>Symbolic names may contain underscores themselves. The version begins after the first
 * underscore that a version of three parts ({@code 1.0.0}) or four follows. Without such an
 * underscore all of the text is the name. A pair (name, version) that would read back as another
 * pair is not a name.
 *
 * @param symbolicName 1 to 128 characters of OSGi's {@code symbolic-name}, or {@code *}
 * @param version null = not given
 */
record ModuleName(String symbolicName, String version) {
  static final String ALL = "*";
  private static final int MAX_LENGTH = 128;
  private static final Pattern SYMBOLIC = Pattern.compile("[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*");

  static ModuleName parse(String text) throws BadValueException {
    if (text.length() > MAX_LENGTH + 1 + Version.MAX_LENGTH) {
      throw new BadValueException("a name that is too long: " + BadValueException.quote(text));
    }
    for (int i = text.indexOf('_'); i > 0; i = text.indexOf('_', i + 1)) {
      String rest = text.substring(i + 1);
      if (isFullVersion(rest)) {
        return checked(text.substring(0, i), rest);
      }
    }
    return checked(text, null);
  }

  /** Checks a pair from another source (a builder, TLVs). The pair must read back as itself. */
  static ModuleName of(String symbolicName, String version) throws BadValueException {
    ModuleName name = new ModuleName(symbolicName, version);
    if (!parse(name.toString()).equals(name)) {
      throw new BadValueException(
          "name and version would read as others: " + BadValueException.quote(name.toString()));
    }
    return name;
  }

  static void requireSymbolicName(String name) throws BadValueException {
    if (name.length() > MAX_LENGTH || !SYMBOLIC.matcher(name).matches()) {
      throw new BadValueException("not a bundle's symbolic name: " + BadValueException.quote(name));
    }
  }

  private static ModuleName checked(String symbolicName, String version) throws BadValueException {
    if (!symbolicName.equals(ALL) || version != null) {
      requireSymbolicName(symbolicName);
    }
    return new ModuleName(symbolicName, version);
  }

  private static boolean isFullVersion(String text) {
    try {
      Version.parseFull(text);
      return true;
    } catch (BadValueException e) {
      return false;
    }
  }

  @Override
  public String toString() {
    return version == null ? symbolicName : symbolicName + "_" + version;
  }
}
