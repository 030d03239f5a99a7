// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The command line of a Kamailio that stays in the foreground and has all its files in one place.
 */
public final class KamailioCommand {
  private KamailioCommand() {}

  /**
   * Returns the command.
   *
   * @param config its configuration
   * @param directory for all that it writes
   * @param privateMegabytes memory of each of its processes; all together have 32
   * @param more options behind these
   */
  public static List<String> of(Path config, Path directory, int privateMegabytes, String... more) {
    List<String> command = new ArrayList<>(List.of("kamailio", "-DD", "-E", "-f"));
    command.add(config.toString());
    command.addAll(List.of("-Y", directory.toString(), "-w", directory.toString()));
    command.addAll(List.of("-m", "32", "-M", Integer.toString(privateMegabytes)));
    command.addAll(Arrays.asList(more));
    return command;
  }
}
