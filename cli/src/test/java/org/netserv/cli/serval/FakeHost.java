// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.netserv.cli.doctor.HostFacts;

/** A machine that notes what is run on it. A command has the reply of the longest known start. */
public final class FakeHost implements HostFacts {
  public final List<String> commands = new ArrayList<>();
  private final Map<String, Run> replies = new LinkedHashMap<>();

  public FakeHost says(String start, int status, String output) {
    replies.put(start, new Run(status, output));
    return this;
  }

  @Override
  public Run run(String... words) {
    String command = String.join(" ", words);
    commands.add(command);
    String best = "";
    for (String start : replies.keySet()) {
      best = command.startsWith(start) && start.length() > best.length() ? start : best;
    }
    return replies.getOrDefault(best, new Run(0, ""));
  }

  @Override
  public Optional<String> read(String path) {
    return Optional.empty();
  }

  @Override
  public List<String> list(String path) {
    return List.of();
  }
}
