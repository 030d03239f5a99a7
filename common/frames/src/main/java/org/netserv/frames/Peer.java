// SPDX-License-Identifier: Apache-2.0
package org.netserv.frames;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;

/**
 * The process at the other end of a UNIX socket, as the kernel tells it (SO_PEERCRED).
 *
 * @param uid {@link #UNKNOWN} if the kernel's answer cannot be turned into a number
 * @param gid its primary group, likewise
 */
public record Peer(long uid, long gid) {
  public static final long UNKNOWN = -1;

  static Peer of(SocketChannel channel) throws IOException {
    UnixDomainPrincipal who = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
    return new Peer(
        number(Path.of("/etc/passwd"), who.user().getName()),
        number(Path.of("/etc/group"), who.group().getName()));
  }

  /**
   * The JDK gives names, and the number as text where there is none. Both files have the number in
   * their third field.
   */
  static long number(Path file, String name) {
    if (name.matches("[0-9]{1,10}")) {
      return Long.parseLong(name);
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .map(line -> line.split(":", -1))
          .filter(field -> field.length > 2 && field[0].equals(name))
          .filter(field -> field[2].matches("[0-9]{1,10}"))
          .mapToLong(field -> Long.parseLong(field[2]))
          .findFirst()
          .orElse(UNKNOWN);
    } catch (IOException | java.io.UncheckedIOException e) {
      return UNKNOWN;
    }
  }
}
