// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.netserv.lab.testbed.base.LabHome;

/**
 * The kernel as a node of a testbed finds it, without the parts that the topology hides.
 *
 * @param missing layers of isolation that it cannot give
 * @param landlockAbi 0 = it has no Landlock
 */
public record NodeKernel(Set<String> missing, int landlockAbi) {
  private static final String LAYER = "layer-";
  private static final String ABI = "landlock-abi=";

  public NodeKernel {
    missing = Set.copyOf(missing);
  }

  /** Runs the program with which the doctor tries the kernel, and reads its findings. */
  public static NodeKernel of(Testbed testbed, String node) throws IOException {
    List<String> command = new ArrayList<>(NodeDaemon.lackingOf(testbed, node));
    command.add(LabHome.dist().resolve("bin/probe").toString());
    Set<String> missing = new LinkedHashSet<>();
    int abi = 0;
    for (String line : testbed.run(node, command.toArray(String[]::new)).lines().toList()) {
      if (line.startsWith(LAYER) && line.contains("=no:")) {
        missing.add(line.substring(LAYER.length(), line.indexOf('=')));
      } else if (line.startsWith(ABI)) {
        abi = Integer.parseInt(line.substring(ABI.length()));
      }
    }
    return new NodeKernel(missing, abi);
  }
}
