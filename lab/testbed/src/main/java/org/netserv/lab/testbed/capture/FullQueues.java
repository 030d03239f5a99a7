// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.capture;

import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.Testbed;

/**
 * The kernel's counts of packets that found a queue full, because its reader had no processor for a
 * while: sockets of UDP, taps, and the links of a namespace.
 */
public final class FullQueues {
  private static final Pattern SOCKET = Pattern.compile(",d(\\d+)\\)");
  private static final Pattern BLANKS = Pattern.compile("[\\s:|]+");

  /** The columns of /proc/net/dev behind the name of a link. */
  private static final int IN_DROPPED = 4;

  private static final int OUT_DROPPED = 12;

  private FullQueues() {}

  /** Returns the sum over namespaces. The count of a socket goes with the socket. */
  public static long read(Testbed testbed, List<String> nodes) throws IOException {
    long sum = 0;
    for (String node : nodes) {
      sum += sockets(testbed.run(node, "ss", "-H", "-u", "-a", "-m"));
      sum += sockets(testbed.run(node, "ss", "-H", "-0", "-a", "-m"));
      sum += links(testbed.run(node, "cat", "/proc/net/dev"));
    }
    return sum;
  }

  /** Returns the packets that sockets have dropped, from a list of ss with their memory. */
  static long sockets(String list) {
    long sum = 0;
    for (Matcher socket = SOCKET.matcher(list); socket.find(); ) {
      sum += Long.parseLong(socket.group(1));
    }
    return sum;
  }

  /** Returns the packets that links have dropped, from /proc/net/dev. */
  static long links(String list) {
    return list.lines()
        .skip(2)
        .map(line -> BLANKS.split(line.strip()))
        .mapToLong(word -> Long.parseLong(word[IN_DROPPED]) + Long.parseLong(word[OUT_DROPPED]))
        .sum();
  }
}
