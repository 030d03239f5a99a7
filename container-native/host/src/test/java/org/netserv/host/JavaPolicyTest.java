// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the same bundle as a module and as a building block, with the layer {@code java} and
 * without. Each run has a virtual machine of its own.
 */
class JavaPolicyTest {
  private static final String DENIED = "java.security.AccessControlException";

  @TempDir Path directory;
  private Path blocks;

  @BeforeEach
  void make() throws IOException {
    blocks = Files.createDirectory(directory.resolve("blocks"));
    Files.createDirectories(directory.resolve("data/data"));
    Files.writeString(directory.resolve("secret"), "secret");
    bundle(blocks.resolve("01-block.jar"), "block");
    bundle(directory.resolve("module.jar"), "module");
  }

  private static void bundle(Path file, String name) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", name);
    main.putValue("Bundle-Activator", Attempts.class.getName());
    main.putValue("Import-Package", "org.osgi.framework");
    main.putValue("Require-Capability", HostMain.FASTPATH);
    try (OutputStream out = Files.newOutputStream(file);
        JarOutputStream jar = new JarOutputStream(out, manifest)) {
      for (String type : List.of("Attempts", "Attempts$Attempt", "Attempts$Loader")) {
        String entry = "org/netserv/host/" + type + ".class";
        jar.putNextEntry(new JarEntry(entry));
        try (InputStream in = Attempts.class.getResourceAsStream("/" + entry)) {
          in.transferTo(jar);
        }
      }
    }
  }

  private int status;

  private String run(String... options) throws IOException, InterruptedException {
    List<String> command =
        new java.util.ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin/java").toString()));
    command.addAll(List.of(options));
    command.add("-D" + HostMain.FASTPATH + "=tc,xdp-native");
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            Attempts.class.getName(),
            directory.toString()));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).directory(directory.toFile()).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    status = process.waitFor();
    return said;
  }

  @Test
  void aModuleMayDoWhatThePolicySaysAndABuildingBlockAll()
      throws IOException, InterruptedException {
    String said = run("-Djava.security.manager=allow");
    if (Runtime.version().feature() >= 24) {
      assertNotEquals(0, status, "a JDK without a security manager does not start with one");
      return;
    }
    assertEquals(0, status, said);
    for (String denied :
        List.of("read", "write", "up", "exec", "exit", "load", "loader", "private", "getenv")) {
      assertTrue(said.contains("module " + denied + ": " + DENIED), denied + " in\n" + said);
    }
    for (String allowed : List.of("own", "property", "thread", "socket")) {
      assertTrue(said.contains("module " + allowed + ": done"), allowed + " in\n" + said);
    }
    for (String allowed : List.of("read", "write", "loader", "private", "getenv", "own")) {
      assertTrue(said.contains("block " + allowed + ": done"), allowed + " in\n" + said);
    }
  }

  @Test
  void withoutTheLayerTheSameAttemptsSucceed() throws IOException, InterruptedException {
    String said = run();
    assertEquals(0, status, said);
    for (String allowed : List.of("read", "write", "up", "exec", "loader", "private", "getenv")) {
      assertTrue(said.contains("module " + allowed + ": done"), allowed + " in\n" + said);
    }
  }
}
