// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * docs/dependencies.md lists exactly the artifacts that run, each with a licence that we can pass
 * on.
 */
class DependenciesTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final List<String> TESTS_ONLY =
      List.of("org.junit", "org.opentest4j", "org.apiguardian", "com.tngtech", "org.apache.maven");

  /** A jar on the class path of this test, which has every module: .../group/artifact/version/. */
  private static final Pattern JAR =
      Pattern.compile(".*/repository/(.+)/([^/]+)/([^/]+)/\\2-\\3[^/]*\\.jar");

  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `([^:`]+:[^:`]+)` \\| ([^ |]+) \\| ([^|]+) \\|");

  private static String page() throws IOException {
    return Files.readString(ROOT.resolve("docs/dependencies.md"));
  }

  private static Map<String, String> listed(int column) throws IOException {
    Map<String, String> rows = new TreeMap<>();
    Matcher row = ROW.matcher(page());
    while (row.find()) {
      rows.put(row.group(1), row.group(column).strip());
    }
    return rows;
  }

  /** Maps {@code group:artifact} to version, for the class path and the content of containers. */
  private static Map<String, String> present() throws IOException {
    Map<String, String> present = new TreeMap<>();
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    for (String entry : path.split(File.pathSeparator, -1)) {
      Matcher jar = JAR.matcher(entry);
      if (jar.matches()) {
        String group = jar.group(1).replace('/', '.');
        if (TESTS_ONLY.stream().noneMatch(group::startsWith) && !group.equals("org.netserv")) {
          present.put(group + ":" + jar.group(2), jar.group(3));
        }
      }
    }
    String versions = Files.readString(ROOT.resolve("pom.xml"));
    Matcher part =
        Pattern.compile("<dependency><groupId>([^<]+)</groupId><artifactId>([^<]+)</artifactId>")
            .matcher(Files.readString(ROOT.resolve("cli/sbom/pom.xml")));
    while (part.find()) {
      if (!part.group(1).equals("org.netserv")) {
        present.put(part.group(1) + ":" + part.group(2), version(versions, part.group(2)));
      }
    }
    return present;
  }

  private static String version(String pom, String artifact) {
    Matcher property =
        Pattern.compile(
                "<artifactId>" + Pattern.quote(artifact) + "</artifactId><version>\\$\\{([^}]+)}")
            .matcher(pom);
    assertTrue(property.find(), artifact);
    Matcher value =
        Pattern.compile("<" + property.group(1) + ">([^<]+)</" + property.group(1) + ">")
            .matcher(pom);
    assertTrue(value.find(), property.group(1));
    return value.group(1);
  }

  @Test
  void whatRunsIsListedAndWhatIsListedRuns() throws IOException {
    Map<String, String> present = present();
    assertTrue(present.size() > 25, present.toString());
    assertEquals(present, listed(2));
  }

  @Test
  void eachHasALicenceThatLetsUsPassItOn() throws IOException {
    List<String> known =
        List.of("Apache-2.0", "MIT", "EPL-2.0", "EPL-1.0", "MPL-2.0", "BSD-3-Clause");
    Map<String, String> other = new TreeMap<>(listed(3));
    other
        .values()
        .removeIf(licence -> Stream.of(licence.split(" OR ", -1)).anyMatch(known::contains));
    assertEquals(Map.of(), other);
  }

  @Test
  void everythingInTheBuiltTreeIsListed() throws IOException {
    TreeSet<String> names = new TreeSet<>();
    listed(2).forEach((name, version) -> names.add(name.substring(name.indexOf(':') + 1)));
    Path dist = ROOT.resolve("target/dist");
    if (!Files.isDirectory(dist)) {
      return; // Nothing has been built yet.
    }
    TreeSet<String> unknown = new TreeSet<>();
    try (Stream<Path> files = Files.walk(dist)) {
      files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.endsWith(".jar"))
          .map(file -> file.replaceFirst("^[0-9]{2}-", "").replaceFirst("(-[0-9].*)?\\.jar$", ""))
          .forEach(unknown::add);
    }
    unknown.removeAll(names);
    unknown.removeAll(OURS);
    assertEquals(new TreeSet<>(), unknown);
  }

  /** Our own archives; Equinox is there under another name, without its signature. */
  private static final List<String> OURS =
      List.of(
          "activecdn",
          "artifact",
          "cli",
          "command",
          "container-agent",
          "controller",
          "coverage",
          "dispatcher",
          "equinox",
          "filter",
          "frames",
          "gist",
          "host",
          "http",
          "io",
          "keepalive",
          "lab-bench",
          "lab-scenarios",
          "lab-testbed",
          "media",
          "media-relay",
          "load-monitor",
          "ncm",
          "netmonitor",
          "overload-control",
          "nslp",
          "origin",
          "packet-api",
          "policy",
          "process",
          "provider",
          "publisher",
          "serval",
          "serval-netty",
          "service-router",
          "signaling",
          "sip",
          "stun",
          "translator",
          "values",
          "watermark");

  @Test
  void everyPackageOfDebianThatTheLauncherInstallsIsListed() throws IOException {
    String launcher = Files.readString(ROOT.resolve("netserv"));
    String page = page();
    for (String list : List.of("jdks", "clangs", "node_packages")) {
      Matcher packages = Pattern.compile("(?s)\n" + list + "=\"([^\"]+)\"").matcher(launcher);
      assertTrue(packages.find(), list);
      for (String name : packages.group(1).trim().split("[\\s|]+", -1)) {
        assertTrue(name.startsWith("$") || page.contains("`" + name + "`"), name);
      }
    }
  }
}
