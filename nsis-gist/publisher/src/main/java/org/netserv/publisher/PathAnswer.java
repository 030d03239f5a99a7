// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.netserv.ncm.PathEnd;

/**
 * The answer of a path to one message.
 *
 * @param end how the path ended, or where it was lost sight of
 * @param reason in words, for people; may be empty
 * @param nodes in path order, from this host toward the user; empty when no node is on the path, or
 *     no node answered
 * @param far of a TRIGGER: the answer of the path along which its last node sent the message
 *     inside; else null
 */
public record PathAnswer(PathEnd end, String reason, List<NodeAnswer> nodes, PathAnswer far) {
  /** Status of a node that did not finish in time, or waited too long for its download server. */
  private static final int GATEWAY_TIMEOUT = 504;

  public PathAnswer {
    Objects.requireNonNull(end, "end");
    Objects.requireNonNull(reason, "reason");
    nodes = List.copyOf(nodes);
  }

  /** The answer in one word. */
  public enum Outcome {
    /** Every addressed node did it (status 2xx), up to the end of the path. */
    DONE,
    /** Some nodes did; others, or the rest of the path, refused. */
    SOME_REFUSED,
    /** Every node refused, or the path did. */
    REFUSED,
    /** The answer is incomplete because an answer did not come in time. */
    TIMEOUT,
    /** There is no NetServ node on the path; {@link #end} and {@link #reason} say how we know. */
    NO_NODE
  }

  /**
   * Returns the answer in one word. For a TRIGGER, this is the answer to the message inside if the
   * last node sent it.
   */
  public Outcome outcome() {
    Outcome here = outcomeOfNodes();
    boolean passed = nodes.isEmpty() || here == Outcome.DONE;
    return far != null && passed ? far.outcome() : here;
  }

  private Outcome outcomeOfNodes() {
    if (nodes.isEmpty()) {
      return switch (end) {
        case TIMED_OUT -> Outcome.TIMEOUT;
        case REFUSED, HOPS -> Outcome.REFUSED;
        default -> Outcome.NO_NODE;
      };
    }
    long done = nodes.stream().filter(NodeAnswer::done).count();
    if (done == 0) {
      boolean late = nodes.stream().allMatch(node -> node.status() == GATEWAY_TIMEOUT);
      return late ? Outcome.TIMEOUT : Outcome.REFUSED;
    }
    if (done < nodes.size()) {
      return Outcome.SOME_REFUSED;
    }
    if (end == PathEnd.TIMED_OUT) {
      return Outcome.TIMEOUT;
    }
    return end.last() ? Outcome.DONE : Outcome.SOME_REFUSED;
  }

  /** The answer of one node. */
  public Optional<NodeAnswer> node(String nodeId) {
    return nodes.stream().filter(node -> node.nodeId().equals(nodeId)).findFirst();
  }
}
