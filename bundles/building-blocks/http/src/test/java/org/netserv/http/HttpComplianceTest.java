// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** Every claim of docs/reference/http-compliance.md names tests that exist. */
class HttpComplianceTest {
  private static final Path PAGE = Path.of("../../../docs/reference/http-compliance.md");
  private static final Pattern HEADING = Pattern.compile("## RFC ([0-9]+).*");
  private static final Pattern ROW =
      Pattern.compile("- \\*\\*([0-9.]+)([a-z]) ([A-Z ]+)\\*\\* .* - we: (.*?) - shown by: (.*)");
  private static final Pattern REFERENCE = Pattern.compile("`(\\w+)\\.(\\w+)`");
  private static final List<String> LEVELS = List.of("MUST", "MUST NOT", "SHOULD", "SHOULD NOT");
  private static final List<String> PACKAGES =
      List.of("org.netserv.http.", "org.netserv.http.cache.", "org.netserv.http.structured.");

  /** The least rows of each RFC, so that none is lost. */
  private static final Map<String, Integer> ROWS =
      Map.of("9111", 80, "9110", 52, "5861", 3, "9211", 5, "9213", 11, "9112", 20, "9651", 5);

  private record Row(
      String rfc, String section, String letter, String level, String we, String shownBy) {}

  @Test
  void eachRequirementIsTickedOff() throws IOException {
    Map<String, String> last = new HashMap<>();
    Map<String, Integer> counts = new HashMap<>();
    List<Row> wrong = new ArrayList<>();
    for (Row row : rows()) {
      String before = last.put(row.rfc + " " + row.section, row.letter);
      int expected = before == null ? 'a' : before.charAt(0) + 1;
      counts.merge(row.rfc, 1, Integer::sum);
      if (row.letter.charAt(0) != expected || !LEVELS.contains(row.level)) {
        wrong.add(row);
      }
    }
    assertEquals(List.of(), wrong, "letters run on, levels are keywords");
    ROWS.forEach(
        (rfc, least) ->
            assertTrue(counts.getOrDefault(rfc, 0) >= least, rfc + ": " + counts.get(rfc)));
  }

  @Test
  void noEntryIsMissedByThePattern() throws IOException {
    long entries = page().filter(line -> line.matches("- \\*\\*[0-9.]+[a-z] SHOULD.*")).count();
    long musts = page().filter(line -> line.matches("- \\*\\*[0-9.]+[a-z] MUST.*")).count();
    assertEquals(entries, rows().stream().filter(row -> row.level.startsWith("SHOULD")).count());
    assertEquals(musts, rows().stream().filter(row -> row.level.startsWith("MUST")).count());
  }

  @Test
  void noMustIsOpenAndNoneIsWithoutATest() throws IOException {
    List<Row> wrong = new ArrayList<>();
    for (Row row : rows()) {
      boolean form = row.we.equals("yes") || row.we.matches("(yes|no|n/a|module): .{10,}");
      boolean must = row.level.startsWith("MUST");
      boolean shown = REFERENCE.matcher(row.shownBy).find();
      boolean needsNone = row.shownBy.equals("-") && (!must || row.we.startsWith("n/a: "));
      if (!form || (must && row.we.startsWith("no")) || (!shown && !needsNone)) {
        wrong.add(row);
      }
    }
    assertEquals(List.of(), wrong);
  }

  @Test
  void everyTestNamedIsThere() throws IOException {
    List<String> missing = new ArrayList<>();
    for (Row row : rows()) {
      Matcher reference = REFERENCE.matcher(row.shownBy);
      while (reference.find()) {
        if (!exists(reference.group(1), reference.group(2))) {
          missing.add(row.rfc + " " + row.section + row.letter + ": " + reference.group());
        }
      }
    }
    assertEquals(List.of(), missing);
  }

  private static boolean exists(String type, String method) {
    for (String name : PACKAGES) {
      try {
        return Arrays.stream(Class.forName(name + type).getDeclaredMethods())
            .filter(candidate -> candidate.getName().equals(method))
            .anyMatch(
                candidate ->
                    candidate.isAnnotationPresent(Test.class)
                        || candidate.isAnnotationPresent(ParameterizedTest.class));
      } catch (ClassNotFoundException e) {
        // The class is in another one of the packages, or nowhere.
      }
    }
    return false;
  }

  private static List<Row> rows() throws IOException {
    List<Row> rows = new ArrayList<>();
    String rfc = "";
    for (String line : page().toList()) {
      Matcher heading = HEADING.matcher(line);
      Matcher row = ROW.matcher(line);
      if (heading.matches()) {
        rfc = heading.group(1);
      } else if (row.matches()) {
        rows.add(
            new Row(rfc, row.group(1), row.group(2), row.group(3), row.group(4), row.group(5)));
      }
    }
    return rows;
  }

  /** Returns the page's lines, each entry with its indented lines as one. */
  private static Stream<String> page() throws IOException {
    return Files.readString(PAGE).replaceAll("\\n +", " ").lines();
  }
}
