// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

/**
 * A range of versions in OSGi's syntax: {@code 1.2} (that or later), {@code [1.2,2)}, {@code
 * (1,2]}.
 *
 * @param highest null = no upper end; then highestIncluded is false
 */
public record VersionRange(
    Version lowest, boolean lowestIncluded, Version highest, boolean highestIncluded) {
  /** Every version. */
  public static final VersionRange ANY = new VersionRange(Version.ZERO, true, null, false);

  public VersionRange {
    if (highest == null ? highestIncluded || !lowestIncluded : highest.compareTo(lowest) < 0) {
      throw new IllegalArgumentException("a version range without an upper end is [lowest, ...)");
    }
  }

  public static VersionRange parse(String text) throws BadValueException {
    if (text.isEmpty() || "[(".indexOf(text.charAt(0)) < 0) {
      return new VersionRange(Version.parse(text), true, null, false);
    }
    int comma = text.indexOf(',');
    int end = text.length() - 1;
    if (comma < 0 || "])".indexOf(text.charAt(end)) < 0) {
      throw new BadValueException("not a version range: " + BadValueException.quote(text));
    }
    Version lowest = Version.parse(text.substring(1, comma));
    Version highest = Version.parse(text.substring(comma + 1, end));
    boolean bothIncluded = text.charAt(0) == '[' && text.charAt(end) == ']';
    int order = highest.compareTo(lowest);
    if (order < 0 || (order == 0 && !bothIncluded)) {
      throw new BadValueException(
          "a version range that holds nothing: " + BadValueException.quote(text));
    }
    return new VersionRange(lowest, text.charAt(0) == '[', highest, text.charAt(end) == ']');
  }

  public boolean contains(Version version) {
    int low = version.compareTo(lowest);
    if (low < 0 || (low == 0 && !lowestIncluded)) {
      return false;
    }
    if (highest == null) {
      return true;
    }
    int high = version.compareTo(highest);
    return high < 0 || (high == 0 && highestIncluded);
  }

  @Override
  public String toString() {
    return highest == null
        ? lowest.toString()
        : (lowestIncluded ? "[" : "(") + lowest + "," + highest + (highestIncluded ? "]" : ")");
  }
}
