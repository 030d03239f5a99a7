// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The network namespaces of a lab, {@code nsl-<lab>.<node>}, and the processes inside them. A
 * node's name has no dot, so the namespace's name tells lab and node apart.
 */
public final class Namespaces {
  private static final Path RUN = Path.of("/run/netns");
  private static final String PREFIX = "nsl-";

  private Namespaces() {}

  public static String name(String lab, String node) {
    return PREFIX + lab + "." + node;
  }

  public static Path path(String lab, String node) {
    return RUN.resolve(name(lab, node));
  }

  /**
   * Returns the command line that runs a program in a namespace. The program keeps the mounts,
   * cgroups included.
   */
  public static List<String> enter(String lab, String node, List<String> program) {
    List<String> command = new ArrayList<>();
    command.add("nsenter");
    command.add("--net=" + path(lab, node));
    command.add("--");
    command.addAll(program);
    return command;
  }

  /** Returns the labs that have at least one namespace, sorted. */
  public static List<String> labs() throws IOException {
    return list("").stream()
        .map(name -> name.substring(PREFIX.length()))
        .filter(name -> name.contains("."))
        .map(name -> name.substring(0, name.indexOf('.')))
        .distinct()
        .sorted()
        .toList();
  }

  /** Returns the names of the lab's namespaces. */
  public static List<String> of(String lab) throws IOException {
    return list(lab + ".");
  }

  private static List<String> list(String rest) throws IOException {
    List<String> names = new ArrayList<>();
    if (Files.isDirectory(RUN)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(RUN, PREFIX + rest + "*")) {
        entries.forEach(entry -> names.add(entry.getFileName().toString()));
      }
    }
    return names;
  }

  /**
   * Returns the processes in one of these network namespaces. A process that is ending has none.
   */
  public static List<ProcessHandle> processes(List<String> namespaces) throws IOException {
    Set<String> wanted = new HashSet<>();
    for (String name : namespaces) {
      wanted.add("net:[" + Files.getAttribute(RUN.resolve(name), "unix:ino") + "]");
    }
    return ProcessHandle.allProcesses().filter(p -> wanted.contains(namespace(p))).toList();
  }

  private static String namespace(ProcessHandle process) {
    try {
      return Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/ns/net")).toString();
    } catch (IOException e) {
      return "";
    }
  }

  /**
   * Returns true if the process leads a session. It is then a daemon that the lab started itself.
   */
  public static boolean leads(ProcessHandle process) {
    try {
      String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
      // pid (comm) state ppid pgrp session ...; comm may hold spaces and brackets
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return fields[3].equals(Long.toString(process.pid()));
    } catch (IOException e) {
      return false;
    }
  }
}
