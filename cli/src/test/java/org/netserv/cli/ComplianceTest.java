// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.netserv.lab.scenarios.command.LabRuns;

/** Every claim of docs/protocols/gist-compliance.md names tests that exist. */
class ComplianceTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Pattern ROW =
      Pattern.compile(
          "- \\*\\*([0-9A][0-9A.]*?)\\.?([a-z]) ([A-Z ]+)\\*\\* .* - we: (.*) - shown by: (.*)");
  private static final Pattern ITEM =
      Pattern.compile("- \\*\\*([0-9]+)\\*\\* .* - shown by: (.*`)");
  private static final int ITEMS = 57;
  private static final Pattern REFERENCE = Pattern.compile("`([^`]+)`");
  private static final List<String> LEVELS = List.of("MUST", "MUST NOT", "SHOULD", "SHOULD NOT");

  /** A requirement: section and letter, keyword, our behaviour, and the tests that show it. */
  private record Row(
      String section, String letter, String level, String we, String shownBy, String line) {}

  @Test
  void eachRequirementIsTickedOff() throws IOException {
    Map<String, String> last = new HashMap<>();
    List<String> wrong = new ArrayList<>();
    List<Row> rows = rows();
    for (Row row : rows) {
      String before = last.put(row.section, row.letter);
      int expected = before == null ? 'a' : before.charAt(0) + 1;
      if (row.letter.charAt(0) != expected || !LEVELS.contains(row.level)) {
        wrong.add(row.line);
      }
    }
    assertEquals(List.of(), wrong, "letters run on, levels are keywords");
    assertTrue(rows.size() > 300, rows.size() + " requirements");
  }

  @Test
  void whatWeClaimIsShown() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Row row : rows()) {
      boolean shown = REFERENCE.matcher(row.shownBy).find();
      boolean right =
          row.we.equals("yes") || row.we.startsWith("yes: ") || row.we.matches("(no|n/a): .{10,}");
      boolean advice = row.level.startsWith("SHOULD");
      boolean needsNone = advice && row.we.startsWith("n/a: ") && row.shownBy.equals("-");
      if (!right || (!shown && !needsNone)) {
        wrong.add(row.line);
      }
    }
    assertEquals(List.of(), wrong);
  }

  @Test
  void theConformanceListIsWhole() throws IOException {
    Map<String, String> java = javaTests();
    Map<String, String> c = sources("container-native/tests", ".c");
    List<String> missing = new ArrayList<>();
    int items = 0;
    for (String line : entries()) {
      Matcher item = ITEM.matcher(line);
      if (!item.matches()) {
        continue;
      }
      assertEquals(++items, Integer.parseInt(item.group(1)), line);
      Matcher reference = REFERENCE.matcher(item.group(2));
      while (reference.find()) {
        if (!exists(reference.group(1), java, c)) {
          missing.add(items + ": " + reference.group(1));
        }
      }
    }
    assertEquals(List.of(), missing);
    assertEquals(ITEMS, items);
  }

  @Test
  void everyTestNamedIsThere() throws IOException {
    Map<String, String> java = javaTests();
    Map<String, String> c = sources("container-native/tests", ".c");
    List<String> missing = new ArrayList<>();
    for (Row row : rows()) {
      Matcher reference = REFERENCE.matcher(row.shownBy);
      while (reference.find()) {
        if (!exists(reference.group(1), java, c)) {
          missing.add(row.section + row.letter + ": " + reference.group(1));
        }
      }
    }
    assertEquals(List.of(), missing);
  }

  /**
   * The page gives the numbers that RFC 5971 section 9 requires in the specification of an
   * application.
   */
  @Test
  void theApplicationsPageStandsOnTheRfc() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/protocols/nslp.md")).replaceAll("\\s+", " ");
    String numbers = "NSLPID **32710** (private/experimental range), router alert value **65503**";
    assertTrue(page.contains(numbers), numbers);
    assertTrue(page.contains("RFC 5971 sections 4.3.1, 4.3.4 and 5.3.2"), "their processing");
  }

  private static boolean exists(String name, Map<String, String> java, Map<String, String> c) {
    if (name.startsWith("lab run ")) {
      return LabRuns.names().contains(name.substring("lab run ".length()));
    }
    int colon = name.indexOf(':');
    if (colon > 0) {
      String source = c.getOrDefault(name.substring(0, colon), "");
      String test = name.substring(colon + 1);
      return source.contains("NS_TEST(" + test + ")") && source.contains("NS_RUN(" + test + ")");
    }
    int dot = name.indexOf('.');
    String source = dot < 0 ? "" : java.getOrDefault(name.substring(0, dot) + ".java", "");
    Pattern method =
        Pattern.compile(
            "@(Test|ParameterizedTest)\\b((?!\\bvoid\\b).)*void " + name.substring(dot + 1) + "\\(",
            Pattern.DOTALL);
    return method.matcher(source).find();
  }

  private static Map<String, String> javaTests() throws IOException {
    Map<String, String> tests = new HashMap<>();
    for (String part : List.of("nsis-gist", "common/policy", "cli")) {
      sources(part, "Test.java").forEach((name, text) -> tests.merge(name, text, String::concat));
    }
    return tests;
  }

  /** Returns the texts of the files below a directory, by name. */
  private static Map<String, String> sources(String directory, String suffix) throws IOException {
    Map<String, String> sources = new HashMap<>();
    try (Stream<Path> files = Files.walk(ROOT.resolve(directory))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = file.getFileName().toString();
        if (name.endsWith(suffix) && !file.toString().contains("/target/")) {
          sources.merge(name, Files.readString(file), (a, b) -> a + b);
        }
      }
    }
    return sources;
  }

  private static List<Row> rows() throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String line : entries()) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        rows.add(
            new Row(row.group(1), row.group(2), row.group(3), row.group(4), row.group(5), line));
      }
    }
    return rows;
  }

  /** Returns the page's lines, each entry with its indented lines as one. */
  private static List<String> entries() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/protocols/gist-compliance.md"));
    return page.replaceAll("\\n +", " ").lines().toList();
  }
}
