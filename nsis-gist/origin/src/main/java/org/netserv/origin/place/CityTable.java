// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.place;

import java.util.ArrayList;
import java.util.List;
import org.netserv.values.BadValueException;
import org.netserv.values.Prefix;

/**
 * Reads the lines of a table of places: {@code PREFIX,LATITUDE,LONGITUDE,NAME}. Empty lines and
 * lines that begin with {@code #} are comments.
 */
public final class CityTable {
  private static final int LONGEST_NAME = 200;
  private static final int FIELDS = 4;

  private CityTable() {}

  /**
   * Reads all lines.
   *
   * @throws BadValueException naming the line and the reason
   */
  public static List<CityWriter.Entry> read(List<String> lines) throws BadValueException {
    List<CityWriter.Entry> entries = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (!line.isEmpty() && !line.startsWith("#")) {
        try {
          entries.add(entry(line));
        } catch (BadValueException e) {
          throw new BadValueException("line " + (i + 1) + ": " + e.getMessage());
        }
      }
    }
    return entries;
  }

  private static CityWriter.Entry entry(String line) throws BadValueException {
    String[] fields = line.split(",", FIELDS);
    if (fields.length < FIELDS || fields[FIELDS - 1].length() > LONGEST_NAME) {
      throw new BadValueException("not PREFIX,LATITUDE,LONGITUDE,NAME");
    }
    Place place = new Place(degrees(fields[1]), degrees(fields[2]));
    if (!place.sound()) {
      throw new BadValueException("no such place: " + BadValueException.quote(line));
    }
    return new CityWriter.Entry(Prefix.parse(fields[0].strip()), place, fields[3].strip());
  }

  private static double degrees(String text) throws BadValueException {
    String stripped = text.strip();
    if (!stripped.matches("-?[0-9]{1,3}(\\.[0-9]{1,9})?")) {
      throw new BadValueException("not degrees: " + BadValueException.quote(text));
    }
    return Double.parseDouble(stripped);
  }
}
