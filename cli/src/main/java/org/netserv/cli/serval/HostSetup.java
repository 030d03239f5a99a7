// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.netserv.cli.doctor.HostFacts;
import org.netserv.cli.doctor.HostFacts.Run;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;

/**
 * The set-up of a host as docs/protocols/sald.md has it: links, addresses, a file system for pins,
 * the resolver's entry, sald. There is one way to undo it, which takes away whatever is there. A
 * set-up that fails takes that way, too, so that nothing half-done is left.
 *
 * <pre>
 *   STATE/host.json   what was set up; written first, removed last
 *   STATE/sald.sock   the control socket
 *   STATE/bpf/        the file system of the pins
 *   STATE/sald.log    of a sald that systemd does not run; controller.log, controller.pid likewise
 * </pre>
 */
public final class HostSetup {
  static final String INSIDE = "sal0";
  static final String BESIDE = "sal1";

  private final HostFacts host;
  private final Path state;
  private final Resolver resolver;
  private final SaldProcess process;
  private final ControllerProcess controller;

  /**
   * Makes a set-up that has not begun.
   *
   * @param dist the built tree
   * @param state directory of this host's files
   */
  public HostSetup(HostFacts host, Path dist, Path state) {
    this.host = host;
    this.state = state;
    this.resolver = new Resolver(host);
    this.process = new SaldProcess(host, dist, state);
    this.controller = new ControllerProcess(host, dist, state);
  }

  /** Returns the client of this host's sald. */
  public Sald sald() {
    return process.client();
  }

  /** Returns true if a set-up was begun and not undone. */
  public boolean isUp() {
    return HostSettings.kept(state);
  }

  public HostSettings settings() throws IOException {
    return HostSettings.read(state);
  }

  /**
   * Checks the machine, and returns the settings that a set-up would have. Changes nothing.
   *
   * @param interfaces toward the network; empty = those of the default routes
   * @param sald its options
   * @param words options of the controller
   * @param resolver path of a resolv.conf; null = none
   * @param unit true if systemd may run sald
   */
  public HostSettings check(
      List<String> interfaces,
      SaldOptions sald,
      ControllerWords words,
      String suffix,
      Path resolver,
      boolean unit)
      throws CommandException {
    HostCheck check = new HostCheck(host);
    List<String> names = check.interfaces(interfaces);
    int mtu = check.mtu(names);
    if (!suffix.matches("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")) {
      throw new CommandException(
          ExitCode.USAGE, "--suffix " + suffix + ": one label of small letters, digits and -");
    }
    sald.check();
    HostCheck.file("sald", process.program());
    HostCheck.file("sald's programs", process.object());
    HostCheck.file("sald's hooks", process.hooks());
    check.free();
    return new HostSettings(names, mtu, sald, words, suffix, resolver(resolver, unit), unit, 0);
  }

  private String resolver(Path file, boolean system) {
    if (file == null) {
      return HostSettings.NO_RESOLVER;
    }
    boolean resolved = system && this.resolver.isResolved();
    return resolved ? HostSettings.RESOLVED : file.toAbsolutePath().toString();
  }

  /** Makes all but sald. On failure nothing is left. */
  public void make(HostSettings settings) throws CommandException {
    try {
      settings.keep(state);
      for (List<String> step : steps(settings)) {
        Run run = host.run(step.toArray(String[]::new));
        if (run.status() != 0) {
          throw new IOException(String.join(" ", step) + ": " + run.line());
        }
      }
      resolver.enter(settings);
    } catch (IOException e) {
      throw giveUp(e);
    }
  }

  /** Returns the commands of the set-up, in their order. */
  List<List<String>> steps(HostSettings settings) {
    Path pins = state.resolve("bpf");
    return Stream.of(
            "mkdir -p " + pins,
            "mount -t bpf bpf " + pins,
            "ip link add %s mtu %d type veth peer name %s"
                .formatted(INSIDE, settings.mtu(), BESIDE),
            "ip link set " + INSIDE + " arp off",
            "ip address add " + Resolver.SERVER + "/15 dev " + INSIDE,
            "ip -6 address add fd73:616c::1/32 dev " + INSIDE + " nodad",
            "ip link set " + BESIDE + " up",
            "ip link set " + INSIDE + " up")
        .map(step -> List.of(step.split(" ", -1)))
        .toList();
  }

  /**
   * Starts sald, and returns when it answers. The controller starts behind it. On failure nothing
   * of the set-up is left.
   */
  public void start(HostSettings settings) throws CommandException {
    try {
      process.start(settings);
      controller.start(settings);
    } catch (IOException e) {
      throw giveUp(e);
    }
  }

  /** Starts the sald of a host that is up, whose sald has ended. It takes over the open flows. */
  public void startAgain() throws CommandException {
    try {
      process.start(settings());
    } catch (IOException e) {
      throw new CommandException(ExitCode.REFUSED, e.getMessage(), e);
    }
  }

  /** Returns the command line of sald. */
  public List<String> command(HostSettings settings) {
    return process.command(settings);
  }

  private CommandException giveUp(IOException cause) {
    List<String> left = undo();
    String text = left.isEmpty() ? "" : "; and could not undo: " + String.join("; ", left);
    return new CommandException(ExitCode.REFUSED, cause.getMessage() + text, cause);
  }

  /** Takes the whole set-up away. Returns what could not be undone. */
  public List<String> undo() {
    List<String> left = new ArrayList<>();
    HostSettings settings;
    try {
      settings = settings();
    } catch (IOException e) {
      return List.of(state + ": " + e.getMessage());
    }
    attempt(left, () -> controller.stop(settings));
    attempt(left, () -> process.stop(settings));
    attempt(left, () -> detach(settings));
    attempt(left, () -> resolver.leave(settings));
    attempt(left, () -> run("ip", "link", "delete", INSIDE));
    attempt(left, () -> run("umount", state.resolve("bpf").toString()));
    attempt(left, this::removeState);
    return left;
  }

  /** An undoing that may fail. */
  @FunctionalInterface
  private interface Undoing {
    void act() throws IOException;
  }

  private static void attempt(List<String> left, Undoing undoing) {
    try {
      undoing.act();
    } catch (IOException e) {
      left.add(e.getMessage());
    }
  }

  private void detach(HostSettings settings) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(process.program().toString());
    command.addAll(List.of("--down", "--pins", process.pins().toString()));
    settings.interfaces().forEach(name -> command.addAll(List.of("--interface", name)));
    run(command.toArray(String[]::new));
  }

  /** Runs a command that undoes a step. What is not there needs no undoing. */
  private void run(String... command) throws IOException {
    Run run = host.run(command);
    boolean absent =
        Stream.of("Cannot find device", "not mounted", "no mount point", "No such")
            .anyMatch(run.output()::contains);
    if (run.status() != 0 && !absent) {
      throw new IOException(String.join(" ", command) + ": " + run.line());
    }
  }

  private void removeState() throws IOException {
    try (Stream<Path> entries = Files.walk(state)) {
      for (Path path : entries.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
