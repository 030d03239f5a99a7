// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A version as OSGi orders them: three numbers, then the qualifier as text. */
public record Version(int major, int minor, int micro, String qualifier)
    implements Comparable<Version> {
  /** The lowest version. */
  public static final Version ZERO = new Version(0, 0, 0, "");

  /** The longest version, in characters. */
  public static final int MAX_LENGTH = 64;

  private static final String NUMBER = "(0|[1-9][0-9]{0,8})";
  private static final String QUALIFIER = "(?:\\.([A-Za-z0-9_-]+))?";
  private static final Pattern FULL =
      Pattern.compile(NUMBER + "\\." + NUMBER + "\\." + NUMBER + QUALIFIER);
  private static final Pattern SHORT = Pattern.compile(NUMBER + "(?:\\." + NUMBER + ")?");

  public Version {
    if (major < 0 || minor < 0 || micro < 0) {
      throw new IllegalArgumentException("a version has no negative parts");
    }
  }

  /**
   * Reads {@code 1}, {@code 1.2}, {@code 1.2.3} or {@code 1.2.3.qualifier}; numbers up to
   * 999,999,999.
   */
  public static Version parse(String text) throws BadValueException {
    Matcher brief = SHORT.matcher(text);
    if (text.length() <= MAX_LENGTH && brief.matches()) {
      int minor = brief.group(2) == null ? 0 : Integer.parseInt(brief.group(2));
      return new Version(Integer.parseInt(brief.group(1)), minor, 0, "");
    }
    return parseFull(text);
  }

  /** Reads a version of three or four parts only: the form in a request's name. */
  public static Version parseFull(String text) throws BadValueException {
    Matcher full = FULL.matcher(text);
    if (text.length() > MAX_LENGTH || !full.matches()) {
      throw new BadValueException("not a version: " + BadValueException.quote(text));
    }
    return new Version(
        Integer.parseInt(full.group(1)),
        Integer.parseInt(full.group(2)),
        Integer.parseInt(full.group(3)),
        full.group(4) == null ? "" : full.group(4));
  }

  @Override
  public int compareTo(Version other) {
    int order = Integer.compare(major, other.major);
    order = order != 0 ? order : Integer.compare(minor, other.minor);
    order = order != 0 ? order : Integer.compare(micro, other.micro);
    return order != 0 ? order : qualifier.compareTo(other.qualifier);
  }

  @Override
  public String toString() {
    return major + "." + minor + "." + micro + (qualifier.isEmpty() ? "" : "." + qualifier);
  }
}
