// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.netserv.cli.serval.HostSettings;
import org.netserv.cli.serval.HostSetup;
import org.netserv.cli.serval.SaldOptions;
import org.netserv.cli.serval.controller.ControllerSettings;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "up",
    description = {
      "Make the links sal0 and sal1, enter sald as resolver of services' names, start sald.",
      "If anything fails, nothing is left. If the sald of a host that is up has ended, it is",
      "started again and takes over the open flows."
    },
    footer = {"", "Example:  sudo netserv serval host up --interface eth0 --orders serval.orders"})
final class ServalHostUp extends JsonCommand {
  private static final Path ORDERS = Path.of("/etc/netserv/serval.orders");

  @Mixin ServalOptions options;
  @Mixin ServalControllerOptions controller;

  @Option(
      names = "--interface",
      paramLabel = "NAME",
      description = "An interface toward the network (default: those of the default routes).")
  List<String> interfaces = List.of();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "54325",
      description = "UDP port of SAL (default: ${DEFAULT-VALUE}).")
  int port;

  @Option(
      names = "--orders",
      paramLabel = "FILE",
      description = "Orders of sald, a line each (default: /etc/netserv/serval.orders, if there).")
  Path orders;

  @Option(
      names = "--native",
      description = {
        "Let data go as plain TCP where no NAT is on the way, so that trains stay whole. For ways",
        "without a stateful firewall."
      })
  boolean nativeForm;

  @Option(
      names = "--suffix",
      paramLabel = "LABEL",
      defaultValue = "serval",
      description = "Last label of the services' names (default: ${DEFAULT-VALUE}).")
  String suffix;

  @Option(
      names = "--resolv-conf",
      paramLabel = "FILE",
      defaultValue = "/etc/resolv.conf",
      description = {
        "File that gets sald as first server where systemd-resolved does not run",
        "(default: ${DEFAULT-VALUE})."
      })
  Path resolvConf;

  @Option(names = "--no-resolver", description = "Leave the resolver of this host as it is.")
  boolean noResolver;

  @Option(
      names = "--foreground",
      description = "Run sald as a part of this command. Its end undoes the set-up.")
  boolean foreground;

  @Override
  public Integer call() throws Exception {
    ServalOptions.needRoot("serval host up");
    HostSetup setup = options.setup();
    if (setup.isUp()) {
      return again(setup);
    }
    if (!controller.isEmpty()) {
      ControllerSettings unused =
          controller.settings(Paths.dist().resolve("bin/sald"), options.state);
      if (foreground) {
        throw new CommandException(
            ExitCode.USAGE, "--foreground runs sald alone; start `serval controller` beside it");
      }
    }
    HostSettings settings =
        setup.check(
            interfaces,
            SaldOptions.of(
                port, orders == null && Files.exists(ORDERS) ? ORDERS : orders, nativeForm),
            controller.words(),
            suffix,
            noResolver ? null : resolvConf,
            !foreground && systemd());
    setup.make(settings);
    if (foreground) {
      return run(setup, settings);
    }
    setup.start(settings);
    emit(setup.settings().json(), () -> print(settings));
    return ExitCode.DONE;
  }

  private Integer again(HostSetup setup) throws CommandException, IOException {
    if (setup.sald().answers()) {
      throw new CommandException(
          ExitCode.REFUSED,
          "this host is up already (%s); first run: netserv serval host down"
              .formatted(options.state));
    }
    setup.startAgain();
    emit(
        setup.settings().json(),
        () -> out().println("sald had ended; started again, with the settings of the first time"));
    return ExitCode.DONE;
  }

  private void print(HostSettings settings) {
    out()
        .printf(
            "this host speaks Serval by %s, UDP port %d; names end in .%s%n",
            String.join(", ", settings.interfaces()), settings.sald().port(), settings.suffix());
    out().println("look at it: netserv serval host status; undo it: netserv serval host down");
  }

  private Integer run(HostSetup setup, HostSettings settings) throws Exception {
    Process sald = new ProcessBuilder(setup.command(settings)).inheritIO().start();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  sald.destroy();
                  sald.onExit().join();
                  setup.undo().forEach(err()::println);
                },
                "undo-serval-host"));
    return sald.waitFor() == 0 ? ExitCode.DONE : ExitCode.REFUSED;
  }

  /** Returns true if systemd can run sald: it manages this machine, and this network is its own. */
  private static boolean systemd() {
    try {
      return Files.isDirectory(Path.of("/run/systemd/system"))
          && Files.readSymbolicLink(Path.of("/proc/self/ns/net"))
              .equals(Files.readSymbolicLink(Path.of("/proc/1/ns/net")));
    } catch (IOException e) {
      return false;
    }
  }
}
