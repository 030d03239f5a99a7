// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.base.LabHome;

/**
 * The hash maps that a node's bpfd has in the kernel, read past bpfd. The numbers of the maps stay
 * theirs after bpfd has ended, for as long as somebody keeps them.
 */
public final class KernelMaps {
  private static final int ID = 1;
  private static final int ENTRIES = 2;

  private final Testbed testbed;
  private final String node;
  private final List<String> ids;

  private KernelMaps(Testbed testbed, String node, List<String> ids) {
    this.testbed = testbed;
    this.node = node;
    this.ids = ids;
  }

  /** Finds all hash maps of the bpfd that runs, whose names begin so. */
  public static KernelMaps of(Testbed testbed, String node, String prefix) throws IOException {
    long bpfd = NodeProcesses.of(testbed, node).pid("bpfd");
    List<String> ids = new ArrayList<>();
    for (String[] words : ask(testbed, node, List.of(Long.toString(bpfd)))) {
      if (words[0].startsWith(prefix)) {
        ids.add(words[ID]);
      }
    }
    return new KernelMaps(testbed, node, ids);
  }

  /** Returns the entries of all, 0 if the maps are no more. */
  public long entries() throws IOException {
    List<String> arguments = new ArrayList<>(List.of("-i"));
    arguments.addAll(ids);
    long sum = 0;
    for (String[] words : ask(testbed, node, arguments)) {
      sum += Long.parseLong(words[ENTRIES]);
    }
    return sum;
  }

  private static List<String[]> ask(Testbed testbed, String node, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(LabHome.dist().resolve("bin/lab-maps").toString());
    command.addAll(arguments);
    return testbed
        .run(node, command.toArray(String[]::new))
        .lines()
        .map(line -> line.split(" ", -1))
        .toList();
  }
}
