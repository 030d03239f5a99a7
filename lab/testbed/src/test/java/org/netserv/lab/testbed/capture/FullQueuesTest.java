// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class FullQueuesTest {
  @Test
  void socketsAreAddedUp() {
    String list =
        """
        UNCONN 0      0      0.0.0.0:11211 0.0.0.0:*
        \t skmem:(r0,rb212992,t0,tb212992,f0,w0,o0,bl0,d17)
        UNCONN 0      0      [::]:54325 [::]:*
        \t skmem:(r0,rb425984,t0,tb212992,f0,w0,o0,bl0,d4)
        """;
    assertEquals(21, FullQueues.sockets(list));
    assertEquals(0, FullQueues.sockets(""));
  }

  @Test
  void linksAreAddedUpInBothDirections() {
    String list =
        """
        Inter-|   Receive                                                |  Transmit
         face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
            lo:       0       0    0    0    0     0          0         0        0       0    0    0    0     0       0          0
          eth0:123456      10    1    5    2     3          4         6     7000      20    8    9   11    12      13         14
        """;
    assertEquals(14, FullQueues.links(list));
  }
}
