// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.netserv.controller.limit.Limit;
import org.netserv.coverage.count.Count;
import org.netserv.coverage.count.PathCounter;
import org.netserv.gist.GistCounters;
import org.netserv.gist.association.AssociationCounters;
import org.netserv.origin.count.OriginCounter;
import org.netserv.policy.IsolationPolicy;
import org.netserv.provider.base.Counter;
import org.netserv.signaling.SignalingCounters;
import picocli.CommandLine;

/** The statements of the pages about the tree are true. */
class DocsTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  @Test
  void theReadmeIsShortAndShowsItsFirstCommandEarly() throws IOException {
    List<String> lines = Files.readAllLines(ROOT.resolve("README.md"));
    assertTrue(lines.size() <= 120, lines.size() + " lines");
    assertTrue(lines.subList(0, 20).contains("    ./netserv demo"));
  }

  @Test
  void everyRelativeLinkLeadsSomewhere() throws IOException {
    Pattern link = Pattern.compile("\\]\\(([^)#]+)(#[^)]*)?\\)");
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      Matcher matcher = link.matcher(Files.readString(page));
      while (matcher.find()) {
        String target = matcher.group(1);
        if (!target.contains("://") && !Files.exists(page.getParent().resolve(target))) {
          broken.add(ROOT.relativize(page) + " -> " + target);
        }
      }
    }
    assertEquals(List.of(), broken);
  }

  @Test
  void theCountersPageExplainsEveryCounter() throws IOException {
    String header = Files.readString(ROOT.resolve("container-native/common/ns_counters.h"));
    String guide = Files.readString(ROOT.resolve("docs/reference/counters.md"));
    Matcher counter = Pattern.compile("X\\(([a-z_]+), \"([^\"]+)\"\\)").matcher(header);
    List<String> missing = new ArrayList<>();
    int found = 0;
    while (counter.find()) {
      found++;
      if (!guide.contains("| `" + counter.group(1) + "` | " + counter.group(2) + " |")) {
        missing.add(counter.group(1));
      }
    }
    assertTrue(found >= 25, found + " counters found");
    assertEquals(List.of(), missing);
  }

  @Test
  void theCountersPageExplainsEveryCounterOfSignaling() throws IOException {
    String guide = Files.readString(ROOT.resolve("docs/reference/counters.md"));
    List<String> names = new ArrayList<>();
    new GistCounters().snapshot().keySet().forEach(name -> names.add("gist." + name));
    new AssociationCounters().snapshot().keySet().forEach(n -> names.add("associations." + n));
    new SignalingCounters().snapshot().keySet().forEach(name -> names.add("nslp." + name));
    String sigio = Files.readString(ROOT.resolve("docs/protocols/sigio.md"));
    Matcher row =
        Pattern.compile("(?m)^\\| `([a-z-]+)` \\| (.*) \\|$")
            .matcher(sigio.substring(sigio.indexOf("## Counters")));
    while (row.find()) {
      names.add("sigio." + row.group(1) + "` | " + row.group(2));
    }
    assertTrue(names.size() >= 100, names.size() + " counters found");
    names.removeIf(n -> guide.contains("| `" + n + (n.contains("`") ? " |" : "` | ")));
    assertEquals(List.of(), names);
  }

  @Test
  void theCountersPageExplainsEveryLimit() throws IOException {
    String guide = Files.readString(ROOT.resolve("docs/reference/counters.md"));
    for (Limit limit : Limit.values()) {
      String row = "| `limits." + limit.counter() + "` | " + limit.words() + " |";
      assertTrue(guide.contains(row), row);
    }
  }

  @Test
  void theProvidersPageExplainsEveryCounter() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/reference/provider.md"));
    explains(page, Counter.values());
    explains(page, PathCounter.values());
  }

  @Test
  void theOriginsPageExplainsEveryCounter() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/reference/origin.md"));
    explains(page, OriginCounter.values());
    explains(page, PathCounter.values());
  }

  private static void explains(String page, Count... counters) {
    for (Count counter : counters) {
      String row = "| `" + counter.text() + "` | " + counter.words() + " |";
      assertTrue(page.contains(row), row);
    }
  }

  @Test
  void theLayersOfIsolationHaveOneListOfNames() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/protocols/spawner.md"));
    Matcher row =
        Pattern.compile("(?m)^- \\*\\*((`[a-z-]+` ?)+)\\*\\*")
            .matcher(page.substring(page.indexOf("## Layers"), page.indexOf("## What dies")));
    List<String> names = new ArrayList<>();
    while (row.find()) {
      names.addAll(List.of(row.group(1).replace("`", "").trim().split(" ", -1)));
    }
    assertEquals(IsolationPolicy.LAYERS, names);
  }

  @Test
  void everyFileStatesItsLicence() throws IOException {
    List<String> without = new ArrayList<>();
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file : (Iterable<Path>) files.filter(DocsTest::isSource)::iterator) {
        String head = Files.readString(file).lines().limit(3).reduce("", String::concat);
        if (!head.contains("SPDX-License-Identifier: Apache-2.0")) {
          without.add(ROOT.relativize(file).toString());
        }
      }
    }
    assertEquals(List.of(), without);
  }

  @Test
  void everyCommandHasADescriptionAndHelp() {
    List<String> bare = new ArrayList<>();
    collect("", Netserv.commandLine(), bare);
    assertEquals(List.of(), bare);
    assertFalse(Netserv.commandLine().getSubcommands().isEmpty());
  }

  private static void collect(String prefix, CommandLine command, List<String> bare) {
    String name = prefix + " " + command.getCommandName();
    if (command.getCommandSpec().usageMessage().description().length == 0
        || command.getCommandSpec().findOption("--help") == null) {
      bare.add(name.strip());
    }
    command.getSubcommands().values().forEach(sub -> collect(name, sub, bare));
  }

  /** A line of help is a format: a percent sign that is not doubled ends in a warning. */
  @Test
  void helpIsPrintedWithoutWarnings() {
    PrintStream before = System.err;
    ByteArrayOutputStream warnings = new ByteArrayOutputStream();
    System.setErr(new PrintStream(warnings, true, StandardCharsets.UTF_8));
    try {
      usage(Netserv.commandLine());
    } finally {
      System.setErr(before);
    }
    assertEquals("", warnings.toString(StandardCharsets.UTF_8));
  }

  private static void usage(CommandLine command) {
    assertFalse(command.getUsageMessage().isBlank());
    command.getSubcommands().values().forEach(DocsTest::usage);
  }

  private static boolean isSource(Path file) {
    String path = ROOT.relativize(file).toString();
    boolean outside = path.contains("target/") || path.startsWith(".git/");
    return !outside
        && (path.endsWith(".java")
            || path.endsWith(".c")
            || path.endsWith(".h")
            || path.endsWith(".sh"));
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(".md"))
          .filter(file -> !ROOT.relativize(file).toString().contains("target/"))
          .toList();
    }
  }
}
