// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;

/** Makes a bundle of one source file in {@code lab/modules}, when a scenario needs it. */
public final class HostileBundle {
  private static final String PACKAGE = "org.netserv.lab.module.";

  public static final String IMPORTS = "org.osgi.framework,org.netserv.packet";
  private static final String MEDIA = "Media";
  private static final String LIBRARY = "attempts.so";

  /** Classes that any attempt may need. */
  private static final List<String> COMMON = List.of("Attempt", "AgentLink", "Between");

  private HostileBundle() {}

  /**
   * Compiles all attempts of {@code modules/attempts}, and copies the library of one attempt beside
   * them.
   */
  public static Path compileAttempts(Path directory) throws IOException {
    Path classes = Files.createDirectories(directory.resolve("attempts.classes"));
    try (Stream<Path> sources = Files.list(LabHome.file("modules/attempts"))) {
      compile(sources.sorted().toList(), classes);
    }
    Files.copy(LabHome.dist().resolve("bin/lab-" + LIBRARY), classes.resolve(LIBRARY));
    return classes;
  }

  /**
   * Compiles the classes that stand in for a container in {@code lab-direct}.
   *
   * @return its class path
   */
  public static String compileDirect(Path directory) throws IOException {
    Path classes = Files.createDirectories(directory.resolve("direct.classes"));
    String path =
        classPath()
            + ":"
            + LabHome.dist().resolve("blocks/23-dispatcher.jar")
            + ":"
            + LabHome.dist().resolve("host/host.jar");
    compile(
        List.of(LabHome.file("modules/Accept.java"), LabHome.file("modules/direct/Direct.java")),
        classes,
        path);
    return classes + ":" + path;
  }

  /**
   * Makes the unsigned bundle of one attempt from its class and the classes that all attempts
   * share.
   */
  public static Path attempt(String name, Path classes) throws IOException {
    Path jar = classes.resolveSibling(name + ".jar");
    try (Stream<Path> found = Files.walk(classes)) {
      pack(
          manifest(name, imports(name)),
          jar,
          classes,
          found.filter(file -> belongs(file, name)).sorted().toList());
    }
    return jar;
  }

  /**
   * Returns the packages that an attempt imports. The names of those that use io begin with Io, of
   * those that use media with Media.
   */
  private static String imports(String attempt) {
    if (attempt.startsWith(MEDIA)) {
      return IMPORTS + ",org.netserv.media";
    }
    return attempt.startsWith("Io") ? IMPORTS + ",org.netserv.io" : IMPORTS;
  }

  private static boolean belongs(Path path, String attempt) {
    String file = path.getFileName().toString();
    return COMMON.stream().anyMatch(common -> file.matches(common + "(\\$.*)?\\.class"))
        || file.equals(attempt + ".class")
        || file.startsWith(attempt + "$")
        || (file.equals(LIBRARY) && attempt.equals("NativeCall"));
  }

  /**
   * Compiles {@code NAME.java} and makes the unsigned bundle {@code org.netserv.lab.module.NAME}.
   */
  public static Path build(String name, Path directory) throws IOException {
    return build(name, directory, IMPORTS);
  }

  /**
   * Makes a bundle that imports other packages and has other classes of {@code lab/modules} beside
   * it.
   */
  public static Path build(String name, Path directory, String imports, String... others)
      throws IOException {
    Path classes = Files.createDirectories(directory.resolve(name + ".classes"));
    List<Path> sources = new ArrayList<>(List.of(LabHome.file("modules/" + name + ".java")));
    for (String other : others) {
      sources.add(LabHome.file("modules/" + other + ".java"));
    }
    compile(sources, classes);
    Path jar = directory.resolve(name + ".jar");
    try (Stream<Path> found = Files.walk(classes)) {
      pack(
          manifest(name, imports),
          jar,
          classes,
          found.filter(Files::isRegularFile).sorted().toList());
    }
    return jar;
  }

  private static Manifest manifest(String name, String imports) {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", PACKAGE + name);
    main.putValue("Bundle-Version", "1.0.0");
    main.putValue("Bundle-Activator", PACKAGE + name);
    main.putValue("Import-Package", imports);
    if (name.startsWith(MEDIA)) {
      main.putValue("NetServ-Process", "ffmpeg");
    }
    return manifest;
  }

  private static void pack(Manifest manifest, Path jar, Path classes, List<Path> files)
      throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest)) {
      for (Path content : files) {
        out.putNextEntry(new JarEntry(classes.relativize(content).toString()));
        Files.copy(content, out);
        out.closeEntry();
      }
    }
  }

  private static void compile(List<Path> sources, Path classes) throws IOException {
    compile(sources, classes, classPath());
  }

  private static void compile(List<Path> sources, Path classes, String path) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new LabException("this scenario compiles a module: it needs a JDK, not a JRE");
    }
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of("--release", "17", "-proc:none", "-cp", path, "-d", classes.toString());
      if (!compiler
          .getTask(said, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
          .call()) {
        throw new LabException(sources + ":\n" + said);
      }
    }
  }

  /** Returns the class path for compiling a module: all building blocks and the framework. */
  public static String classPath() throws IOException {
    try (Stream<Path> blocks = Files.list(LabHome.dist().resolve("blocks"))) {
      return Stream.concat(
              blocks.filter(file -> file.toString().endsWith(".jar")).sorted(),
              Stream.of(LabHome.dist().resolve("host/equinox.jar")))
          .map(Path::toString)
          .collect(Collectors.joining(File.pathSeparator));
    }
  }
}
