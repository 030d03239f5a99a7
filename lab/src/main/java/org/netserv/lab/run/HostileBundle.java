// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.run;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.netserv.lab.CommandException;
import org.netserv.lab.LabHome;

/** Makes a bundle of one source file in {@code lab/modules}, when a scenario needs it. */
final class HostileBundle {
  private static final String PACKAGE = "org.netserv.lab.module.";

  private HostileBundle() {}

  /** Compiles {@code NAME.java}; the unsigned bundle {@code org.netserv.lab.module.NAME}. */
  static Path build(String name, Path directory) throws IOException {
    return build(name, directory, "org.osgi.framework,org.netserv.packet");
  }

  /** The same, with other packages. */
  static Path build(String name, Path directory, String imports) throws IOException {
    Path classes = Files.createDirectories(directory.resolve(name + ".classes"));
    compile(LabHome.file("modules/" + name + ".java"), classes);
    Path jar = directory.resolve(name + ".jar");
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", PACKAGE + name);
    main.putValue("Bundle-Version", "1.0.0");
    main.putValue("Bundle-Activator", PACKAGE + name);
    main.putValue("Import-Package", imports);
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest);
        Stream<Path> found = Files.walk(classes)) {
      for (Path file2 : found.filter(Files::isRegularFile).sorted().toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(file2).toString()));
        Files.copy(file2, out);
        out.closeEntry();
      }
    }
    return jar;
  }

  private static void compile(Path source, Path classes) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new CommandException("this scenario compiles a module: it needs a JDK, not a JRE");
    }
    String path =
        LabHome.dist().resolve("blocks/20-packet-api.jar")
            + ":"
            + LabHome.dist().resolve("host/equinox.jar");
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of("--release", "17", "-proc:none", "-cp", path, "-d", classes.toString());
      if (!compiler
          .getTask(said, files, null, options, null, files.getJavaFileObjects(source))
          .call()) {
        throw new CommandException(source + ":\n" + said);
      }
    }
  }
}
