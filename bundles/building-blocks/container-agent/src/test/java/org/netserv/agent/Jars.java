// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/** Makes the directory of building blocks, and bundles of the test's own classes. */
final class Jars {
  /** The profile base-1, in the order of installation, by symbolic name. */
  static final List<String> PROFILE =
      List.of(
          "org.osgi.util.function",
          "org.osgi.util.promise",
          "org.osgi.service.component",
          "org.apache.felix.configadmin",
          "org.apache.felix.scr",
          "com.fasterxml.jackson.core.jackson-annotations",
          "com.fasterxml.jackson.core.jackson-core",
          "com.fasterxml.jackson.core.jackson-databind",
          "io.netty.common",
          "io.netty.buffer",
          "io.netty.resolver",
          "io.netty.transport",
          "io.netty.transport-native-unix-common",
          "io.netty.codec-base",
          "io.netty.handler",
          "org.netserv.packet-api",
          "org.netserv.sip",
          "org.netserv.frames",
          "org.netserv.dispatcher",
          "org.netserv.container-agent",
          "org.netserv.io",
          "org.netserv.stun",
          "org.netserv.http");

  private Jars() {}

  /** Collects the profile from the class path; a directory of classes is packed first. */
  static void blocks(Path target) throws IOException {
    Files.createDirectories(target);
    int found = 0;
    for (String element : System.getProperty("java.class.path").split(":", -1)) {
      Path path = Path.of(element);
      int place = PROFILE.indexOf(symbolicName(path));
      if (place < 0) {
        continue;
      }
      Path jar = target.resolve("%02d.jar".formatted(place));
      if (Files.isDirectory(path)) {
        Files.write(jar, pack(path));
      } else {
        Files.copy(path, jar);
      }
      found++;
    }
    if (found != PROFILE.size()) {
      throw new IOException("found " + found + " of " + PROFILE);
    }
  }

  /** A bundle of one activator and the classes beside it. */
  static byte[] bundle(String name, String version, Class<?> activator, String imports)
      throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    Map.of(
            "Bundle-ManifestVersion",
            "2",
            "Bundle-SymbolicName",
            name,
            "Bundle-Version",
            version,
            "Bundle-Activator",
            activator.getName(),
            "Import-Package",
            "org.osgi.framework,org.osgi.service.cm," + imports)
        .forEach(main::putValue);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream jar = new JarOutputStream(bytes, manifest)) {
      String directory = activator.getPackageName().replace('.', '/');
      for (Class<?> type : List.of(activator, org.netserv.agent.module.Plain.class)) {
        String entry = directory + "/" + type.getName().replaceAll(".*\\.", "") + ".class";
        jar.putNextEntry(new ZipEntry(entry));
        try (InputStream in = type.getResourceAsStream("/" + entry)) {
          in.transferTo(jar);
        }
      }
    }
    return bytes.toByteArray();
  }

  /** A bundle of one Declarative Services component that offers a PktProcessor. */
  static byte[] component(String name, String version, Class<?> type) throws IOException {
    return component(name, version, type, "init=\"1\"");
  }

  /**
   * A bundle of one Declarative Services component that offers a PktProcessor.
   *
   * @param attributes of the component: how it takes its properties
   */
  static byte[] component(String name, String version, Class<?> type, String attributes)
      throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", name);
    main.putValue("Bundle-Version", version);
    main.putValue("Import-Package", "org.netserv.packet");
    main.putValue("Service-Component", "OSGI-INF/component.xml");
    String xml =
        """
        <scr:component xmlns:scr="http://www.osgi.org/xmlns/scr/v1.4.0" name="%s" %s>
          <implementation class="%s"/>
          <service><provide interface="org.netserv.packet.PktProcessor"/></service>
        </scr:component>
        """
            .formatted(name, attributes, type.getName());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream jar = new JarOutputStream(bytes, manifest)) {
      jar.putNextEntry(new ZipEntry("OSGI-INF/component.xml"));
      jar.write(xml.getBytes(StandardCharsets.UTF_8));
      String entry = type.getName().replace('.', '/') + ".class";
      jar.putNextEntry(new ZipEntry(entry));
      try (InputStream in = type.getResourceAsStream("/" + entry)) {
        in.transferTo(jar);
      }
    }
    return bytes.toByteArray();
  }

  private static String symbolicName(Path path) throws IOException {
    Manifest manifest = null;
    if (Files.isRegularFile(path.resolve(JarFile.MANIFEST_NAME))) {
      try (InputStream in = Files.newInputStream(path.resolve(JarFile.MANIFEST_NAME))) {
        manifest = new Manifest(in);
      }
    } else if (Files.isRegularFile(path)) {
      try (JarFile jar = new JarFile(path.toFile())) {
        manifest = jar.getManifest();
      }
    }
    String name =
        manifest == null ? null : manifest.getMainAttributes().getValue("Bundle-SymbolicName");
    return name == null ? "" : name.replaceAll(";.*", "").trim();
  }

  private static byte[] pack(Path classes) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Manifest manifest;
    try (InputStream in = Files.newInputStream(classes.resolve(JarFile.MANIFEST_NAME))) {
      manifest = new Manifest(in);
    }
    try (OutputStream out = bytes;
        JarOutputStream jar = new JarOutputStream(out, manifest);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String entry = classes.relativize(file).toString();
        if (!entry.equals(JarFile.MANIFEST_NAME)) {
          jar.putNextEntry(new ZipEntry(entry));
          Files.copy(file, jar);
        }
      }
    }
    return bytes.toByteArray();
  }
}
