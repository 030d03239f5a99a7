// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.netserv.cli.doctor.HostFacts;

/**
 * Starts and stops the controller of a host, if it has one. Where systemd runs, it is a unit
 * without capabilities that starts anew when it ends. Elsewhere it is a process in a session of its
 * own.
 */
final class ControllerProcess {
  static final String UNIT = "netserv-serval-controller";
  private static final String PID = "controller.pid";

  private final HostFacts host;
  private final Path dist;
  private final Path state;

  ControllerProcess(HostFacts host, Path dist, Path state) {
    this.host = host;
    this.dist = dist;
    this.state = state;
  }

  List<String> command(HostSettings settings) {
    String java = System.getProperty("netserv.java", System.getProperty("java.home"));
    List<String> command = new ArrayList<>(List.of(java + "/bin/java", "-XX:+UseSerialGC"));
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx64m", "-Dnetserv.dist=" + dist));
    command.addAll(List.of("-cp", dist.resolve("cli") + "/*", "org.netserv.cli.Netserv"));
    command.addAll(List.of("serval", "controller", "--state", state.toString()));
    command.addAll(settings.controller().words());
    return command;
  }

  /** Returns the command that makes a unit of systemd, which is gone when it is stopped. */
  List<String> unit(HostSettings settings) {
    List<String> command =
        Daemons.unit(UNIT, "Signed registrations of this host's Serval services");
    for (String property :
        List.of(
            "CapabilityBoundingSet=",
            "NoNewPrivileges=yes",
            "ProtectSystem=strict",
            "PrivateDevices=yes",
            "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6")) {
      command.add("--property=" + property);
    }
    command.addAll(command(settings));
    return command;
  }

  void start(HostSettings settings) throws IOException {
    if (settings.controller().isEmpty()) {
      return;
    }
    if (settings.unit()) {
      Daemons.start(host, unit(settings));
    } else {
      Process process = Daemons.start(command(settings), state.resolve("controller.log"));
      Files.writeString(state.resolve(PID), Long.toString(process.pid()));
    }
  }

  /** Stops the controller, which withdraws all services. One that has ended is no failure. */
  void stop(HostSettings settings) throws IOException {
    if (settings.controller().isEmpty()) {
      return;
    }
    Path pid = state.resolve(PID);
    if (settings.unit()) {
      Daemons.stop(host, UNIT);
    } else if (Files.exists(pid)) {
      Daemons.stop(Long.parseLong(Files.readString(pid).strip()), state.toString());
    }
  }
}
