// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.netserv.lab.testbed.base.LabHome;

/**
 * The archive of class data that a node makes at its first start, handed from one testbed to the
 * next: a machine with a node has made it long ago, and four nodes that make it at the same time
 * have no time for anything else. A node takes only one that was made from what it has itself.
 *
 * <p>An archive is called {@code KIND-MADE_FROM-CONTENT.jsa}. Of those made from the same, by nodes
 * that began together, one is kept; of each kind the newest few, for builds and JDKs that take
 * turns.
 */
final class ClassData {
  private static final String DIRECTORY = "var/lib/netserv/cds";
  private static final String ARCHIVES = "*.jsa";
  private static final int OF_EACH_KIND = 4;

  private ClassData() {}

  /** Before a node's first start. */
  static void give(Path root) throws IOException {
    copy(kept(), root.resolve(DIRECTORY));
  }

  /** When a node has served. */
  static void keep(Path root) throws IOException {
    copy(root.resolve(DIRECTORY), kept());
    Map<String, Integer> ofKind = new HashMap<>();
    for (Path archive : newestFirst(kept())) {
      String kind = archive.getFileName().toString().split("-", 2)[0];
      if (ofKind.merge(kind, 1, Integer::sum) > OF_EACH_KIND) {
        Files.deleteIfExists(archive);
      }
    }
  }

  private static Path kept() {
    return LabHome.dist().resolveSibling("lab-class-data");
  }

  private static void copy(Path from, Path to) throws IOException {
    Set<String> there = new HashSet<>();
    newestFirst(to).forEach(archive -> there.add(madeFrom(archive)));
    for (Path archive : newestFirst(from)) {
      if (there.add(madeFrom(archive))) {
        copyFile(archive, to);
      }
    }
  }

  private static void copyFile(Path archive, Path to) throws IOException {
    Files.createDirectories(to);
    Path part = Files.createTempFile(to, "part", "");
    try {
      Files.copy(
          archive, part, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
      Files.move(part, to.resolve(archive.getFileName()), StandardCopyOption.ATOMIC_MOVE);
    } catch (NoSuchFileException e) {
      Files.delete(part); // another testbed has just taken it away, as one too many
    }
  }

  /** Its name without the digest of its content. */
  private static String madeFrom(Path archive) {
    String name = archive.getFileName().toString();
    int end = name.lastIndexOf('-');
    return end < 0 ? name : name.substring(0, end);
  }

  private static List<Path> newestFirst(Path directory) throws IOException {
    Map<Path, FileTime> archives = new HashMap<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, ARCHIVES)) {
        for (Path archive : found) {
          archives.put(archive, modified(archive));
        }
      }
    }
    List<Path> sorted = new ArrayList<>(archives.keySet());
    sorted.sort(Comparator.comparing(archives::get, Comparator.reverseOrder()));
    return sorted;
  }

  private static FileTime modified(Path archive) throws IOException {
    try {
      return Files.getLastModifiedTime(archive);
    } catch (NoSuchFileException e) {
      return FileTime.fromMillis(0);
    }
  }
}
