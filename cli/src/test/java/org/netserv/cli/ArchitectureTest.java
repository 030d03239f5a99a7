// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/** The dependency arrows of docs/architecture.md: down only. */
@AnalyzeClasses(packages = "org.netserv", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final int LARGEST_CIRCLE = 8;
  private static final DescribedPredicate<JavaClass> OURS = resideInAnyPackage("org.netserv..");

  /** Allows a module to use itself, the named modules, and all classes that are not ours. */
  private static ArchRule uses(String module, String... others) {
    String[] packages = new String[others.length + 1];
    packages[0] = "org.netserv." + module + "..";
    for (int i = 0; i < others.length; i++) {
      packages[i + 1] = "org.netserv." + others[i] + "..";
    }
    return classes()
        .that()
        .resideInAPackage("org.netserv." + module + "..")
        .should()
        .onlyDependOnClassesThat(resideInAnyPackage(packages).or(DescribedPredicate.not(OURS)));
  }

  @ArchTest
  static final ArchRule PACKET_API_IMPORTS_THE_JDK_ALONE =
      classes()
          .that()
          .resideInAnyPackage("org.netserv.packet..", "org.netserv.module..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "org.netserv.packet..", "org.netserv.module..", "java..", "org.osgi.annotation..");

  @ArchTest
  static final ArchRule SIP_IMPORTS_THE_JDK_ALONE =
      classes()
          .that()
          .resideInAPackage("org.netserv.sip")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("org.netserv.sip", "java..", "org.osgi.annotation..");

  @ArchTest static final ArchRule SIP_STREAMS = uses("sip.stream", "sip", "packet", "module");

  @ArchTest
  static final ArchRule IO_IMPORTS_THE_JDK_ALONE =
      classes()
          .that()
          .resideInAPackage("org.netserv.io..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("org.netserv.io..", "java..", "org.osgi.annotation..");

  @ArchTest
  static final ArchRule MEDIA_IMPORTS_THE_JDK_AND_THE_FRAMEWORK_ALONE =
      classes()
          .that()
          .resideInAPackage("org.netserv.media..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "org.netserv.media..", "java..", "org.osgi.framework..", "org.osgi.annotation..");

  @ArchTest
  static final ArchRule STUN_IMPORTS_THE_JDK_ALONE =
      classes()
          .that()
          .resideInAPackage("org.netserv.stun..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "org.netserv.stun..", "java..", "javax.crypto..", "org.osgi.annotation..");

  @ArchTest
  static final ArchRule HTTP_IMPORTS_THE_JDK_ALONE =
      classes()
          .that()
          .resideInAPackage("org.netserv.http..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("org.netserv.http..", "java..", "org.osgi.annotation..");

  @ArchTest
  static final ArchRule SERVAL_IMPORTS_THE_JDK_AND_IO_ALONE =
      classes()
          .that()
          .resideInAPackage("org.netserv.serval..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "org.netserv.serval..",
              "org.netserv.io..",
              "java..",
              "javax.crypto..",
              "org.osgi.annotation..");

  @ArchTest
  static final ArchRule ONLY_THE_ENDPOINT_OF_SERVAL_DOES_IO =
      noClasses()
          .that()
          .resideInAPackage("org.netserv.serval..")
          .and()
          .resideOutsideOfPackage("org.netserv.serval.endpoint")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.netserv.io..");

  @ArchTest static final ArchRule VALUES = uses("values");
  @ArchTest static final ArchRule FILTER = uses("filter", "values");
  @ArchTest static final ArchRule NCM = uses("ncm", "filter", "values");
  @ArchTest static final ArchRule POLICY = uses("policy", "ncm", "filter", "values");
  @ArchTest static final ArchRule ARTIFACT = uses("artifact", "values");
  @ArchTest static final ArchRule PROCESS = uses("process");
  @ArchTest static final ArchRule FRAMES = uses("frames");

  @ArchTest static final ArchRule GIST = uses("gist", "process");
  @ArchTest static final ArchRule NSLP = uses("nslp", "ncm", "filter", "values");
  @ArchTest static final ArchRule PUBLISHER = uses("publisher", "gist", "nslp", "ncm", "values");

  @ArchTest
  static final ArchRule PROVIDER =
      uses("provider", "coverage", "publisher", "policy", "frames", "values", "loadmonitor");

  @ArchTest
  static final ArchRule COVERAGE =
      uses("coverage", "publisher", "policy", "frames", "ncm", "filter", "values");

  @ArchTest
  static final ArchRule ORIGIN =
      uses("origin", "coverage", "publisher", "policy", "frames", "values");

  @ArchTest static final ArchRule HOST = uses("host");
  @ArchTest static final ArchRule DISPATCHER = uses("dispatcher", "packet", "host");
  @ArchTest static final ArchRule AGENT = uses("agent", "dispatcher", "packet", "frames", "host");
  @ArchTest static final ArchRule ACTIVECDN = uses("activecdn", "packet", "module", "http");
  @ArchTest static final ArchRule KEEPALIVE = uses("keepalive", "packet", "module", "sip", "stun");

  @ArchTest
  static final ArchRule MEDIA_RELAY = uses("mediarelay", "packet", "module", "stun", "io");

  @ArchTest
  static final ArchRule SERVICE_ROUTER = uses("servicerouter", "packet", "module", "serval", "io");

  @ArchTest
  static final ArchRule TRANSLATOR =
      uses("translator", "packet", "module", "serval", "servalnetty");

  @ArchTest static final ArchRule SERVAL_NETTY = uses("servalnetty", "serval");
  @ArchTest static final ArchRule WATERMARK = uses("watermark", "module", "media");
  @ArchTest static final ArchRule NETMONITOR = uses("netmonitor", "packet", "module");

  @ArchTest
  static final ArchRule LOAD_MONITOR =
      uses("loadmonitor", "publisher", "ncm", "values", "overload.feedback");

  @ArchTest static final ArchRule OVERLOAD = uses("overload", "packet", "module", "sip");

  private static final String[] COMMON = {
    "values", "filter", "ncm", "policy", "artifact", "process", "frames"
  };

  @ArchTest
  static final ArchRule SIGNALING =
      uses("signaling", "gist", "nslp", "ncm", "filter", "values", "frames", "policy", "process");

  @ArchTest static final ArchRule CONTROLLER = uses("controller", COMMON);

  @ArchTest static final ArchRule COMMAND = uses("command");

  @ArchTest
  static final ArchRule TESTBED =
      uses("lab.testbed", and(COMMON, "command", "gist", "stun", "serval", "nslp", "publisher"));

  @ArchTest
  static final ArchRule SCENARIOS =
      uses(
          "lab.scenarios",
          and(COMMON, "lab.testbed", "command", "gist", "nslp", "publisher", "serval"));

  @ArchTest
  static final ArchRule BENCH =
      uses("lab.bench", and(COMMON, "lab.testbed", "command", "gist", "nslp", "publisher"));

  @ArchTest
  static final ArchRule CLI =
      uses(
          "cli",
          and(
              COMMON,
              "command",
              "nslp",
              "publisher",
              "coverage",
              "provider",
              "origin",
              "netmonitor",
              "loadmonitor",
              "serval"));

  private static String[] and(String[] some, String... others) {
    return Stream.concat(Arrays.stream(some), Arrays.stream(others)).toArray(String[]::new);
  }

  @ArchTest
  static final ArchRule NOTHING_USES_EXEC_IN_A_CONTAINER =
      noClasses()
          .that()
          .resideInAnyPackage(
              "org.netserv.packet..",
              "org.netserv.sip..",
              "org.netserv.io..",
              "org.netserv.stun..",
              "org.netserv.http..",
              "org.netserv.serval..",
              "org.netserv.servalnetty..",
              "org.netserv.dispatcher..",
              "org.netserv.agent..",
              "org.netserv.activecdn..",
              "org.netserv.keepalive..",
              "org.netserv.media..",
              "org.netserv.mediarelay..",
              "org.netserv.watermark..",
              "org.netserv.netmonitor..",
              "org.netserv.servicerouter..",
              "org.netserv.translator..",
              "org.netserv.overload..")
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.lang.ProcessBuilder");

  @ArchTest
  static final ArchRule NO_CYCLES =
      slices().matching("org.netserv.(*)..").should().beFreeOfCycles();

  @ArchTest
  static void noCircleOfPackages(JavaClasses classes) {
    assertEquals(List.of(), Circles.in(uses(classes, JavaClass::getPackageName)));
  }

  /** Allows no large circle of files. A nested class counts as part of its file. */
  @ArchTest
  static void noLargeCircleOfFiles(JavaClasses classes) {
    List<List<String>> circles = Circles.in(uses(classes, ArchitectureTest::file));
    assertEquals(
        List.of(), circles.stream().filter(circle -> circle.size() > LARGEST_CIRCLE).toList());
  }

  private static String file(JavaClass type) {
    return type.getEnclosingClass().map(ArchitectureTest::file).orElseGet(type::getName);
  }

  /**
   * Maps each of our names to the names of ours that it uses. A function gives each class its name.
   */
  private static Map<String, Set<String>> uses(
      JavaClasses classes, Function<JavaClass, String> name) {
    Map<String, Set<String>> uses = new TreeMap<>();
    for (JavaClass user : classes) {
      Set<String> used = uses.computeIfAbsent(name.apply(user), n -> new TreeSet<>());
      for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (target.getName().startsWith("org.netserv.")) {
          used.add(name.apply(target));
        }
      }
    }
    return uses;
  }
}
