// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program in docs/publisher-guide.md compiles as it stands there. */
class GuideTest {
  private static final Path GUIDE = Path.of("../../docs/publisher-guide.md");

  /** The JDK that builds, because the runtime under test may have no compiler. */
  private static final Path JAVAC =
      Path.of(System.getProperty("netserv.jdk", System.getProperty("java.home")), "bin", "javac");

  @TempDir Path classes;

  @Test
  void theExampleCompiles() throws Exception {
    Matcher block = Pattern.compile("(?s)```java\n(.*?)```").matcher(Files.readString(GUIDE));
    assertTrue(block.find(), "no example in the guide");
    Path source = classes.resolve("KeepDeployed.java");
    Files.writeString(source, block.group(1));
    assertEquals(List.of(), diagnostics(source));
    assertTrue(Files.exists(classes.resolve("KeepDeployed.class")));
  }

  /** Compiles the source and returns the compiler's messages. */
  private List<String> diagnostics(Path source) throws IOException, InterruptedException {
    Process javac =
        new ProcessBuilder(
                JAVAC.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                classes.toString(),
                "-proc:none",
                "-Xlint:all",
                source.toString())
            .redirectErrorStream(true)
            .start();
    String said;
    try (InputStream stdout = javac.getInputStream()) {
      said = new String(stdout.readAllBytes(), StandardCharsets.UTF_8);
    }
    assertEquals(0, javac.waitFor(), said);
    return said.lines().filter(line -> line.contains("KeepDeployed.java")).toList();
  }
}
