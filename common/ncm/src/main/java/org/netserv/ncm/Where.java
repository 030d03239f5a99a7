// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.util.List;
import org.netserv.values.BadValueException;

/**
 * The nodes on the path that act on a message.
 *
 * @param nodes node-ids, empty for {@code all} and {@code last}
 */
public record Where(Kind kind, List<String> nodes) {
  /** The three forms of the header. */
  public enum Kind {
    ALL,
    LAST,
    NODES
  }

  /** Every node: the meaning of an absent header. */
  public static final Where ALL = new Where(Kind.ALL, List.of());

  /** Only the last node on the path. */
  public static final Where LAST = new Where(Kind.LAST, List.of());

  public Where {
    nodes = List.copyOf(nodes);
    if ((kind == Kind.NODES) == nodes.isEmpty()) {
      throw new IllegalArgumentException("where: node-ids exactly when the kind is NODES");
    }
  }

  static Where parse(String text) throws BadValueException {
    return switch (text) {
      case "all" -> ALL;
      case "last" -> LAST;
      default -> new Where(Kind.NODES, HeaderValues.nodeIds(text));
    };
  }

  @Override
  public String toString() {
    return switch (kind) {
      case ALL -> "all";
      case LAST -> "last";
      case NODES -> String.join(",", nodes);
    };
  }
}
