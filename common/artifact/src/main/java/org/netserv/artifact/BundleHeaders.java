// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import static org.netserv.artifact.refusal.VerifyException.Reason.DYNAMIC_IMPORT;
import static org.netserv.artifact.refusal.VerifyException.Reason.EXECUTION_ENVIRONMENT;
import static org.netserv.artifact.refusal.VerifyException.Reason.FRAGMENT;
import static org.netserv.artifact.refusal.VerifyException.Reason.HEADER;
import static org.netserv.artifact.refusal.VerifyException.Reason.IDENTITY;
import static org.netserv.artifact.refusal.VerifyException.Reason.MULTI_RELEASE;
import static org.netserv.artifact.refusal.VerifyException.Reason.NATIVE_CODE;
import static org.netserv.artifact.refusal.VerifyException.Reason.NESTED;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.values.BadValueException;
import org.netserv.values.Version;

/**
 * Checks the headers of the manifest.
 *
 * <p>Bundle-ActivationPolicy: lazy passes, because the container starts a bundle without the
 * activation policy and its activator runs at once. Multi-Release is refused, because a node on
 * another Java would run other classes than the tested ones.
 */
final class BundleHeaders {
  private static final Pattern SYMBOLIC_NAME =
      Pattern.compile("[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*");

  /** Headers that begin with Eclipse and change nothing at run time. */
  private static final Set<String> HARMLESS = Set.of("eclipse-sourcereferences");

  private static final int LONGEST_NAME = 128;
  // (version=17), (version>=11) in the filter of an osgi.ee requirement; 1.8 is 8.
  private static final Pattern EE_VERSION =
      Pattern.compile("\\(\\s*version\\s*>?=\\s*(?:1\\.)?([0-9]{1,3})[0-9.]*\\s*\\)");
  private static final Pattern BREE = Pattern.compile("(?:JavaSE|J2SE|JRE)-(?:1\\.)?([0-9]{1,3})");

  private final Map<String, String> headers;
  private final Manifest.Section main;

  BundleHeaders(Manifest manifest) {
    this.headers = manifest.mainHeaders();
    this.main = manifest.main();
  }

  Map<String, String> all() {
    return headers;
  }

  void check(VerifyRules rules) throws VerifyException {
    if (!main.get("Bundle-ManifestVersion").map(String::strip).equals(Optional.of("2"))) {
      throw new VerifyException(HEADER, "Bundle-ManifestVersion: not 2");
    }
    refuse("Fragment-Host", FRAGMENT, "a fragment runs inside another bundle");
    refuse("Bundle-NativeCode", NATIVE_CODE, "native code");
    refuse("DynamicImport-Package", DYNAMIC_IMPORT, "imports decided at run time");
    if (main.get("Multi-Release").map(String::strip).filter("true"::equalsIgnoreCase).isPresent()) {
      throw new VerifyException(
          MULTI_RELEASE, "Multi-Release: other classes for other Java versions");
    }
    for (Clause clause : clauses("Bundle-ClassPath")) {
      if (clause.paths().size() != 1 || !clause.path().equals(".")) {
        throw new VerifyException(
            NESTED, "Bundle-ClassPath: " + clause.path() + " inside the bundle");
      }
    }
    checkEclipse();
    checkIdentity(rules);
    checkJava(rules.javaRelease());
  }

  String symbolicName() throws VerifyException {
    List<Clause> clauses = clauses("Bundle-SymbolicName");
    if (clauses.size() != 1 || clauses.get(0).paths().size() != 1) {
      throw new VerifyException(HEADER, "Bundle-SymbolicName: not one name");
    }
    String name = clauses.get(0).path();
    if (name.length() > LONGEST_NAME || !SYMBOLIC_NAME.matcher(name).matches()) {
      throw new VerifyException(HEADER, "Bundle-SymbolicName: not a symbolic name");
    }
    return name;
  }

  String version() throws VerifyException {
    return version(main.get("Bundle-Version").orElse("0.0.0").strip(), HEADER, "Bundle-Version");
  }

  /** Returns the clauses of a header as text; empty if the header is absent. */
  List<String> list(String header) throws VerifyException {
    List<String> texts = new ArrayList<>();
    clauses(header).forEach(clause -> texts.add(clause.toString()));
    return texts;
  }

  private void refuse(String header, VerifyException.Reason reason, String why)
      throws VerifyException {
    if (main.get(header).isPresent()) {
      throw new VerifyException(reason, header + ": " + why);
    }
  }

  /**
   * Refuses headers of the framework's own. Some of them reach around the class loaders of bundles.
   */
  private void checkEclipse() throws VerifyException {
    for (String header : headers.keySet()) {
      String name = header.toLowerCase(Locale.ROOT);
      if (name.startsWith("eclipse-") && !HARMLESS.contains(name)) {
        throw new VerifyException(HEADER, header + ": a header of one framework alone");
      }
    }
  }

  private void checkIdentity(VerifyRules rules) throws VerifyException {
    String name = symbolicName();
    if (rules.symbolicName().isPresent() && !rules.symbolicName().get().equals(name)) {
      throw new VerifyException(
          IDENTITY,
          "Bundle-SymbolicName: "
              + name
              + ", but "
              + rules.symbolicName().get()
              + " was asked for");
    }
    String version = version();
    if (rules.version().isPresent()
        && !version(rules.version().get(), IDENTITY, "the version asked for").equals(version)) {
      throw new VerifyException(
          IDENTITY,
          "Bundle-Version: " + version + ", but " + rules.version().get() + " was asked for");
    }
  }

  private static String version(String text, VerifyException.Reason reason, String what)
      throws VerifyException {
    try {
      return Version.parse(text).toString();
    } catch (BadValueException e) {
      throw new VerifyException(reason, what + ": " + e.getMessage(), e);
    }
  }

  /**
   * Checks required Java versions. A requirement holds if one of its versions is not above the
   * node's.
   */
  private void checkJava(int release) throws VerifyException {
    for (Clause clause : clauses("Require-Capability")) {
      if (clause.paths().contains("osgi.ee")) {
        String filter = clause.parameters().getOrDefault("filter:", "");
        requireLowest(
            lowest(EE_VERSION.matcher(filter)), release, "Require-Capability: osgi.ee " + filter);
      }
    }
    String bree = main.get("Bundle-RequiredExecutionEnvironment").orElse("");
    requireLowest(
        lowest(BREE.matcher(bree)), release, "Bundle-RequiredExecutionEnvironment: " + bree);
  }

  private static OptionalInt lowest(Matcher versions) {
    return versions.results().mapToInt(match -> Integer.parseInt(match.group(1))).min();
  }

  private static void requireLowest(OptionalInt wanted, int release, String what)
      throws VerifyException {
    if (wanted.isPresent() && wanted.getAsInt() > release) {
      throw new VerifyException(EXECUTION_ENVIRONMENT, what + ": this node runs Java " + release);
    }
  }

  private List<Clause> clauses(String header) throws VerifyException {
    Optional<String> value = main.get(header);
    if (value.isEmpty()) {
      return List.of();
    }
    List<Clause> clauses = Clause.parse(value.get());
    if (clauses == null) {
      throw new VerifyException(HEADER, header + ": does not read");
    }
    return clauses;
  }
}
