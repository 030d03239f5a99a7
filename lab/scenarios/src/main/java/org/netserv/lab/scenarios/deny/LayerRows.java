// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import java.util.List;
import java.util.Set;
import org.netserv.lab.testbed.NodeKernel;

/**
 * Names of the obstacles to attempts: the spawner's layers, and the parts that no container can do
 * without.
 */
final class LayerRows {
  /** Options of the virtual machine that the host sets. */
  static final String FLAGS = "jvm flags";

  /** Limits that the virtual machine keeps by itself: heap, direct buffers, classes. */
  static final String JVM = "jvm limits";

  /** The boundary of a process: a container has one publisher's modules. */
  static final String PROCESS = "process";

  /** The read-only mapping of the node's half of the ring. */
  static final String RING = "ring";

  static final String PKTIO = "pktio";
  static final String BPFD = "bpfd";
  static final String SPAWNER = "spawner";
  static final String FFMPEG = "ffmpeg";
  static final String FILTERS = "filters";
  static final String CONTROLLER = "controller";
  static final String JAVA = "java";
  static final String NET = "net";

  /** Rules of the node for the interface of the container's own network, the layer {@link #NET}. */
  static final String RULES = "rules";

  /** Landlock, where only its ABI 6 stops the attempt: a signal to a process outside. */
  static final String SCOPE = "landlock/6";

  private static final String LANDLOCK = "landlock";
  private static final int SCOPE_ABI = 6;

  private static final Set<String> BUILT_IN =
      Set.of(FLAGS, JVM, PROCESS, RING, PKTIO, BPFD, SPAWNER, FFMPEG, FILTERS, CONTROLLER);

  private static final Set<String> OF_JAVA =
      Set.of("access denied (", "IllegalCallerException", "UnsupportedOperationException");

  private LayerRows() {}

  /**
   * Returns true if the layer {@code java} denied the attempt. Only that layer throws these
   * exceptions.
   */
  static boolean isJava(Outcome outcome) {
    return !outcome.succeeded() && OF_JAVA.stream().anyMatch(outcome.saw()::contains);
  }

  /** Leaves out the layers that cannot stop anything on this kernel. */
  static List<String> there(List<String> layers, NodeKernel kernel) {
    return layers.stream()
        .filter(layer -> !layer.equals(SCOPE) || kernel.landlockAbi() >= SCOPE_ABI)
        .map(layer -> layer.equals(SCOPE) ? LANDLOCK : layer)
        .filter(layer -> !kernel.missing().contains(layer))
        .toList();
  }

  /** Returns true if {@code isolation.without} knows the layer. */
  static boolean removable(String layer) {
    return !BUILT_IN.contains(layer);
  }
}
