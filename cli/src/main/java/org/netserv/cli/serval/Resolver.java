// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.netserv.cli.doctor.HostFacts;
import org.netserv.cli.doctor.HostFacts.Run;

/**
 * Makes the resolver of this host ask sald for the names of services. With systemd-resolved the
 * entry belongs to the link sal0 and goes with it. Otherwise sald becomes the first server of
 * resolv.conf. It refuses names of other suffixes, and the C library asks the next server then.
 */
final class Resolver {
  static final String SERVER = "198.18.0.1";
  private static final String NOTE = "# the names of services: netserv serval host";
  private static final String ENTRY = NOTE + "\nnameserver " + SERVER + "\n";

  private final HostFacts host;

  Resolver(HostFacts host) {
    this.host = host;
  }

  /** Returns true if systemd-resolved answers. */
  boolean isResolved() {
    return host.run("resolvectl", "status").status() == 0;
  }

  void enter(HostSettings settings) throws IOException {
    switch (settings.resolver()) {
      case HostSettings.NO_RESOLVER -> {}
      case HostSettings.RESOLVED -> {
        resolvectl("dns", HostSetup.INSIDE, SERVER);
        resolvectl("domain", HostSetup.INSIDE, "~" + settings.suffix());
      }
      default -> {
        Path file = Path.of(settings.resolver());
        String before = Files.exists(file) ? Files.readString(file) : "";
        // In place, because it may be a mount.
        Files.writeString(file, before.startsWith(ENTRY) ? before : ENTRY + before);
      }
    }
  }

  /** Takes the entry away. Changes that others have made meanwhile stay. */
  void leave(HostSettings settings) throws IOException {
    boolean isFile =
        !List.of(HostSettings.NO_RESOLVER, HostSettings.RESOLVED).contains(settings.resolver());
    Path file = Path.of(settings.resolver());
    if (isFile && Files.exists(file)) {
      String now = Files.readString(file);
      if (now.contains(ENTRY)) {
        Files.writeString(file, now.replace(ENTRY, ""));
      }
    }
  }

  private void resolvectl(String... words) throws IOException {
    String[] command = new String[words.length + 1];
    command[0] = "resolvectl";
    System.arraycopy(words, 0, command, 1, words.length);
    Run run = host.run(command);
    if (run.status() != 0) {
      throw new IOException(String.join(" ", command) + ": " + run.line());
    }
  }
}
