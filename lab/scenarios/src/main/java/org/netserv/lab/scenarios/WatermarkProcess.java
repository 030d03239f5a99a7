// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.netserv.lab.testbed.base.Wait;

/** The ffmpeg beside a container, as the node's root sees it. */
final class WatermarkProcess {
  private final ProcessHandle process;

  private WatermarkProcess(ProcessHandle process) {
    this.process = process;
  }

  /** Waits until the container has such a process. */
  static WatermarkProcess await(long host, Duration patience) throws IOException {
    List<ProcessHandle> found = new ArrayList<>();
    Wait.until(
        "ffmpeg",
        patience,
        () -> {
          find(host).ifPresent(found::add);
          return !found.isEmpty();
        });
    return new WatermarkProcess(found.get(0));
  }

  /** Looks for a child of the spawner, as the host is one, with this program. */
  private static Optional<ProcessHandle> find(long host) {
    return ProcessHandle.of(host)
        .flatMap(ProcessHandle::parent)
        .flatMap(spawner -> spawner.children().filter(WatermarkProcess::isFfmpeg).findFirst());
  }

  private static boolean isFfmpeg(ProcessHandle process) {
    try {
      return Files.readString(proc(process.pid(), "comm")).strip().equals("ffmpeg");
    } catch (IOException e) {
      return false; // It has ended.
    }
  }

  private static Path proc(long pid, String file) {
    return Path.of("/proc", Long.toString(pid), file);
  }

  boolean runs() {
    return process.isAlive();
  }

  void kill() {
    process.destroyForcibly();
  }

  String cgroup(long host) throws IOException {
    boolean same =
        Files.readString(proc(process.pid(), "cgroup"))
            .equals(Files.readString(proc(host, "cgroup")));
    return same ? "the container's" : "another one";
  }

  String uid(long host) throws IOException {
    boolean same = line("Uid", process.pid()).equals(line("Uid", host));
    return same ? "the container's" : "another one";
  }

  /** Returns {@code none} if it has no capability, no way to one, and a filter of system calls. */
  String rights() throws IOException {
    String none = "0000000000000000";
    boolean bare =
        line("CapEff", process.pid()).equals(none)
            && line("CapBnd", process.pid()).equals(none)
            && line("NoNewPrivs", process.pid()).equals("1")
            && line("Seccomp", process.pid()).equals("2");
    return bare ? "none" : Files.readString(proc(process.pid(), "status"));
  }

  /** Returns the names of the interfaces in its network. */
  String interfaces() throws IOException {
    List<String> names = new ArrayList<>();
    for (String line : Files.readAllLines(proc(process.pid(), "net/dev"))) {
      if (line.contains(":")) {
        names.add(line.substring(0, line.indexOf(':')).strip());
      }
    }
    return String.join(" ", names);
  }

  private static String line(String name, long pid) throws IOException {
    return Files.readAllLines(proc(pid, "status")).stream()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst()
        .orElse("");
  }
}
