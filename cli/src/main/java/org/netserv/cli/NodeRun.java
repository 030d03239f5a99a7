// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.netserv.cli.doctor.Finding;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.policy.LogPolicy;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "run",
    description = {
      "Run a node in the foreground: checks the machine first, then starts the supervisor.",
      "SIGTERM and Ctrl-C stop it in order; SIGHUP to the supervisor reloads the policy."
    },
    footer = {"", "Example:  sudo netserv node run --root /srv/node1"})
final class NodeRun extends JsonCommand {
  private static final int STOP_SECONDS = 20;

  @Mixin Paths paths;

  @Option(names = "--skip-doctor", description = "Start even where the doctor says it cannot work.")
  boolean skipDoctor;

  @Option(
      names = "--dry-run",
      description = "Start nothing: print the supervisor's command line, a word a line.")
  boolean dryRun;

  @Override
  public Integer call() throws Exception {
    if (dryRun) {
      command(PolicyFiles.load(paths).log()).forEach(out()::println);
      out().flush();
      return ExitCode.DONE;
    }
    List<Finding> findings = DoctorCommand.examine(paths);
    DoctorCommand.print(findings, err(), false);
    if (DoctorCommand.failed(findings) && !skipDoctor) {
      throw new CommandException(ExitCode.REFUSED, "this machine cannot be a node; see above");
    }
    Optional<OtherNode> other = OtherNode.find(Path.of("/proc"));
    if (other.isPresent()) {
      throw new CommandException(ExitCode.REFUSED, other.get().refusal());
    }
    Files.createDirectories(paths.etc());
    return runSupervisor(PolicyFiles.load(paths).log());
  }

  private int runSupervisor(LogPolicy log) throws IOException, InterruptedException {
    Process supervisor = new ProcessBuilder(command(log)).inheritIO().start();
    Thread stop =
        new Thread(
            () -> {
              supervisor.destroy();
              try {
                if (!supervisor.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                  supervisor.destroyForcibly();
                }
              } catch (InterruptedException e) {
                supervisor.destroyForcibly();
              }
            },
            "stop-supervisor");
    Runtime.getRuntime().addShutdownHook(stop);
    return supervisor.waitFor() == 0 ? ExitCode.DONE : ExitCode.REFUSED;
  }

  private List<String> command(LogPolicy log) {
    Path dist = Paths.dist();
    List<String> command = new ArrayList<>();
    command.add(dist.resolve("bin/supervisor").toString());
    command.add("--root");
    command.add(paths.root.toAbsolutePath().normalize().toString());
    command.add("--dist");
    command.add(dist.toString());
    command.add("--java");
    command.add(Paths.javaHome().toString());
    command.add("--log-bytes");
    command.add("" + log.maxBytes());
    command.add("--log-files");
    command.add("" + log.files());
    return command;
  }
}
