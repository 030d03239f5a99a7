// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.netserv.cli.doctor.HostFacts;

/**
 * Starts and stops the sald of a host. Where systemd runs, sald is a unit of it that starts anew
 * when it ends. Elsewhere it is a process in a session of its own.
 */
final class SaldProcess {
  static final String UNIT = "netserv-sald";
  private static final int READY_MILLIS = 10_000;
  private static final int STEP_MILLIS = 50;
  private static final int LOG_LINES = 5;

  private final HostFacts host;
  private final Path dist;
  private final Path state;

  SaldProcess(HostFacts host, Path dist, Path state) {
    this.host = host;
    this.dist = dist;
    this.state = state;
  }

  Path program() {
    return dist.resolve("bin/sald");
  }

  Path object() {
    return dist.resolve("kernel/sal_flow.bpf.o");
  }

  /** Returns the programs that tell sald when somebody begins to listen. */
  Path hooks() {
    return dist.resolve("kernel/sal_listen.bpf.o");
  }

  Path pins() {
    return state.resolve("bpf/sald");
  }

  Sald client() {
    return new Sald(host, program(), state.resolve("sald.sock"));
  }

  private Path log() {
    return state.resolve("sald.log");
  }

  List<String> command(HostSettings settings) {
    List<String> command = new ArrayList<>(List.of(program().toString()));
    command.addAll(List.of("--object", object().toString(), "--pins", pins().toString()));
    command.addAll(List.of("--hooks", hooks().toString()));
    command.addAll(List.of("--control", state.resolve("sald.sock").toString()));
    command.addAll(List.of("--dns", Resolver.SERVER + ":53"));
    command.addAll(settings.sald().words());
    settings.interfaces().forEach(name -> command.addAll(List.of("--interface", name)));
    return command;
  }

  /** Returns the command that makes a unit of systemd, which is gone when it is stopped. */
  List<String> unit(HostSettings settings) {
    List<String> command = Daemons.unit(UNIT, "Serval for the programs of this host");
    command.addAll(command(settings));
    return command;
  }

  /** Starts sald, and returns when it answers. */
  void start(HostSettings settings) throws IOException {
    if (settings.unit()) {
      Daemons.start(host, unit(settings));
      await(Optional.empty());
    } else {
      Process process = Daemons.start(command(settings), log());
      settings.with(process.pid()).keep(state);
      await(Optional.of(process));
    }
  }

  private void await(Optional<Process> process) throws IOException {
    for (int waited = 0; waited < READY_MILLIS; waited += STEP_MILLIS) {
      if (client().answers()) {
        return;
      }
      if (process.isPresent() && !process.get().isAlive()) {
        throw new IOException("sald has ended: " + logTail());
      }
      pause();
    }
    throw new IOException(
        process.isPresent()
            ? "sald does not answer: " + logTail()
            : "sald does not answer (journalctl -u " + UNIT + ")");
  }

  private String logTail() throws IOException {
    List<String> lines = Files.readAllLines(log());
    return String.join("; ", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
  }

  /** Stops sald. One that has ended already is no failure. */
  void stop(HostSettings settings) throws IOException {
    if (settings.unit()) {
      Daemons.stop(host, UNIT);
    } else {
      Daemons.stop(settings.pid(), state.resolve("sald.sock").toString());
    }
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(STEP_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
