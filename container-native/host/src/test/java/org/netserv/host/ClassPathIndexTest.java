// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The index names each package of each jar once, in the order of the class path. */
class ClassPathIndexTest {
  @TempDir private Path directory;

  @Test
  void aParagraphForEachJar() throws IOException {
    Path equinox =
        jar("equinox", "META-INF/MANIFEST.MF", "org/a/A.class", "org/a/B.class", "hooks");
    Path host = jar("host", "org/", "org/h/", "org/h/Host.class");
    Path blocks = Files.createDirectory(directory.resolve("blocks"));
    Files.move(jar("second", "com/b/B.class"), blocks.resolve("02-b.jar"));
    Files.move(
        jar("first", "com/a/A.class", "META-INF/services/s", "META-INF/versions/9/com/a/A.class"),
        blocks.resolve("01-a.jar"));
    Files.writeString(blocks.resolve("notes.txt"), "no jar");
    Path index = directory.resolve("made/META-INF/INDEX.LIST");

    ClassPathIndex.main(
        new String[] {index.toString(), equinox.toString(), host.toString(), blocks.toString()});

    assertEquals(
        List.of(
            "JarIndex-Version: 1.0",
            "",
            "equinox.jar",
            "org/a",
            "hooks",
            "",
            "host.jar",
            "org/h",
            "",
            "../blocks/01-a.jar",
            "com/a",
            "",
            "../blocks/02-b.jar",
            "com/b",
            ""),
        Files.readAllLines(index));
  }

  @Test
  void aJarThatIsNoneIsRefused() throws IOException {
    Path broken = Files.writeString(directory.resolve("broken.jar"), "no jar");
    IOException refused =
        assertThrows(
            IOException.class,
            () ->
                ClassPathIndex.main(
                    new String[] {
                      directory.resolve("index").toString(),
                      broken.toString(),
                      broken.toString(),
                      directory.toString()
                    }));
    assertTrue(Files.notExists(directory.resolve("index")), refused.getMessage());
  }

  private Path jar(String name, String... entries) throws IOException {
    Path jar = directory.resolve(name + ".jar");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (String entry : entries) {
        out.putNextEntry(new ZipEntry(entry));
      }
    }
    return jar;
  }
}
