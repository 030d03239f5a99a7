// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Shell;
import org.netserv.lab.testbed.base.Wait;

/**
 * A system that runs in a node of a testbed. {@code lab/systemd.sh} boots it on a root directory,
 * which stays as it is. The system ends with {@link #close}, and with the testbed at the latest.
 */
public final class Machine implements AutoCloseable {
  /** Directory inside the machine where the project's directory is mounted read-only. */
  public static final String SOURCE = "/src";

  private static final Duration BOOT = Duration.ofMinutes(2);
  private static final Duration END = Duration.ofSeconds(20);
  private static final int SECONDS = 300;
  private static final String PATH = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";

  private final Testbed testbed;
  private final String node;
  private final String group;
  private final Process process;
  private long init;

  private Machine(Testbed testbed, String node, String group, Process process) {
    this.testbed = testbed;
    this.node = node;
    this.group = group;
    this.process = process;
  }

  /** Boots the system, and waits until systemd has started all its units. */
  public static Machine boot(Testbed testbed, String node, Path root) throws IOException {
    String group = "netserv-lab-" + testbed.topology().name() + "-" + node;
    removeGroups(group);
    Process process =
        testbed.spawn(
            node,
            "systemd",
            List.of(
                "sh",
                LabHome.file("systemd.sh").toString(),
                root.toString(),
                testbed.state().resolve(node).toString(),
                group,
                LabHome.home() + ":" + SOURCE));
    Machine machine = new Machine(testbed, node, group, process);
    Wait.until("systemd to run in " + node, BOOT, machine::booted);
    return machine;
  }

  private boolean booted() throws IOException {
    if (!process.isAlive()) {
      throw new LabException("systemd has ended:\n" + testbed.tail(node, "systemd", 10));
    }
    init = process.children().findFirst().map(ProcessHandle::pid).orElse(0L);
    return init != 0
        && Files.exists(root().resolve("run/systemd/system"))
        && run("systemctl", "is-system-running").output().strip().matches("running|degraded");
  }

  /** Returns the system's root directory, as seen from outside. */
  public Path root() {
    return Path.of("/proc/" + init + "/root");
  }

  /**
   * The result of a program inside.
   *
   * @param output standard output and standard error
   */
  public record Said(int status, String output) {
    /** Returns the output of a program that had to succeed. */
    public String done() throws LabException {
      if (status != 0) {
        throw new LabException("status " + status + ": " + output.strip());
      }
      return output;
    }
  }

  /** Runs a program inside, to its end. */
  public Said run(String... program) throws IOException {
    List<String> command = new ArrayList<>(List.of("nsenter", "--target", Long.toString(init)));
    command.addAll(List.of("-m", "-p", "-n", "-C", "-u", "-i", "-r", "-w", "env", "-i", PATH));
    command.add("HOME=/root");
    command.addAll(List.of(program));
    Process inside =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile())
            .start();
    CompletableFuture<String> output = CompletableFuture.supplyAsync(() -> read(inside));
    try {
      if (!inside.waitFor(SECONDS, TimeUnit.SECONDS)) {
        inside.destroyForcibly();
        throw new LabException(String.join(" ", program) + ": not done in " + SECONDS + " s");
      }
    } catch (InterruptedException e) {
      inside.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    }
    return new Said(inside.exitValue(), output.join());
  }

  /** Runs a shell script inside. */
  public Said shell(String script) throws IOException {
    return run("sh", "-c", script);
  }

  /** Returns a unit's state, such as {@code active}. */
  public String state(String unit) throws IOException {
    return run("systemctl", "is-active", unit).output().strip();
  }

  /** Returns the number of a unit's main process, 0 if there is none. */
  public String mainPid(String unit) throws IOException {
    return run("systemctl", "show", "--value", "-p", "MainPID", unit).output().strip();
  }

  /** Writes a file, whose path is relative to the root directory. */
  public void write(String file, String text) throws IOException {
    Path path = root().resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private static String read(Process process) {
    try {
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
  }

  /** Kills the whole system and removes its cgroup. */
  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    Wait.until("the system in " + node + " to end", END, () -> !process.isAlive());
    removeGroups(group);
  }

  /** Removes the cgroups. Killed processes leave their groups a moment later. */
  private static void removeGroups(String group) throws IOException {
    String find = "find /sys/fs/cgroup -maxdepth 2 -type d -name " + group;
    String remove =
        "for top in $(" + find + "); do find $top -depth -type d -exec rmdir {} +; done";
    Wait.until(
        "the cgroups of " + group + " to be empty",
        END,
        () -> {
          Shell.run("sh", "-c", remove + " || true");
          return Shell.run("sh", "-c", find).isBlank();
        });
  }
}
