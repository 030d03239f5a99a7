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
 * Hands the archives of class data from one testbed to the next. A node makes them at its first
 * start. A machine with a node has made them long ago, and four nodes that make them at the same
 * time have no time for anything else. A node takes only an archive that was made from its own
 * files.
 *
 * <p>An archive is called {@code KIND-MADE_FROM-CONTENT.jsa}. Nodes that begin together may make
 * several archives from the same files, and one of these is kept. Of each kind the newest few are
 * kept, because builds and JDKs take turns.
 */
final class ClassData {
  private static final String DIRECTORY = "var/lib/netserv/cds";
  private static final String ARCHIVES = "*.jsa";
  private static final int OF_EACH_KIND = 4;

  private ClassData() {}

  /** Copies the kept archives to a node before its first start. */
  static void give(Path root) throws IOException {
    copy(kept(), root.resolve(DIRECTORY));
  }

  /** Keeps the archives of a node that has served. */
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
      Files.delete(part); // another testbed has just deleted it as surplus
    }
  }

  /** Returns the archive's name without the digest of its content. */
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
