// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Writes the index of a container's class path, for the first jar of that path ({@code
 * META-INF/INDEX.LIST}, "JAR Index" of the JAR File Specification). The build runs it.
 *
 * <p>With the index a class loader of JDK 17 opens a jar when it wants a class of that jar. Without
 * it the framework's first look for a resource opens all of them, and each keeps its directory in
 * the heap. JDK 21 has the index when it is asked, and later ones open all jars.
 *
 * <p>Services of {@code META-INF} are left out, because no code of the class path asks for them.
 */
final class ClassPathIndex {
  private static final String META = "META-INF/";

  private ClassPathIndex() {}

  /**
   * Writes the index.
   *
   * @param args the file to write, the jar that will have it, the jar of this class, and the
   *     directory of the building blocks. At run time the two jars lie in one directory, and the
   *     directory {@code blocks} beside that.
   * @throws IOException if a jar cannot be read, or the file not be written
   */
  public static void main(String[] args) throws IOException {
    Map<String, Path> jars = new LinkedHashMap<>();
    jars.put("equinox.jar", Path.of(args[1]));
    jars.put("host.jar", Path.of(args[2]));
    try (Stream<Path> blocks = Files.list(Path.of(args[3]))) {
      blocks
          .filter(jar -> jar.toString().endsWith(".jar"))
          .sorted()
          .forEach(jar -> jars.put("../blocks/" + jar.getFileName(), jar));
    }
    Path index = Path.of(args[0]);
    Files.createDirectories(index.getParent());
    Files.writeString(index, of(jars));
  }

  /**
   * Returns the index: a paragraph for each jar, of its address and its packages, of which each
   * takes a line. A resource without a package stands for itself.
   *
   * @param jars by their addresses, relative to the jar with the index, in the order of the path
   */
  static String of(Map<String, Path> jars) throws IOException {
    StringBuilder index = new StringBuilder("JarIndex-Version: 1.0\n\n");
    for (Map.Entry<String, Path> jar : jars.entrySet()) {
      index.append(jar.getKey()).append('\n');
      places(jar.getValue()).forEach(place -> index.append(place).append('\n'));
      index.append('\n');
    }
    return index.toString();
  }

  private static Set<String> places(Path jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      return zip.stream()
          .filter(entry -> !entry.isDirectory())
          .map(ZipEntry::getName)
          .filter(name -> !name.startsWith(META))
          .map(ClassPathIndex::place)
          .collect(Collectors.toCollection(LinkedHashSet::new));
    }
  }

  private static String place(String name) {
    int end = name.lastIndexOf('/');
    return end < 0 ? name : name.substring(0, end);
  }
}
