// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program in docs/publisher-guide.md compiles as it stands there. */
class GuideTest {
  private static final Path GUIDE = Path.of("../../docs/publisher-guide.md");

  @TempDir Path classes;

  @Test
  void theExampleCompiles() throws IOException {
    Matcher block = Pattern.compile("(?s)```java\n(.*?)```").matcher(Files.readString(GUIDE));
    assertTrue(block.find(), "no example in the guide");
    JavaFileObject source = new Source(block.group(1));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    String classPath = System.getProperty("java.class.path");
    List<String> options =
        List.of("-cp", classPath, "-d", classes.toString(), "-proc:none", "-Xlint:all");
    boolean done = compiler.getTask(null, null, found, options, null, List.of(source)).call();
    List<String> said =
        found.getDiagnostics().stream()
            .filter(d -> d.getSource() != null)
            .map(Object::toString)
            .toList();
    assertEquals(List.of(), said);
    assertTrue(done);
    assertTrue(Files.exists(classes.resolve("KeepDeployed.class")));
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(URI.create("string:///KeepDeployed.java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
