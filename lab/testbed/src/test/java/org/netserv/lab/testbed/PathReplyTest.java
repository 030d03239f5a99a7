// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.lab.testbed.PathPublisher.Entry;
import org.netserv.lab.testbed.PathPublisher.Reply;

/** Checks the combined reply of a publisher that sends a message twice. */
class PathReplyTest {
  private static Entry entry(String node, int status) {
    return new Entry(node, "192.0.2.1", status, "", "VERIFIED");
  }

  private static Reply reply(String end, Entry... nodes) {
    return new Reply(end, "", List.of(nodes), null);
  }

  @Test
  void whatWasDoneTheFirstTimeIsNoRefusalTheSecondTime() {
    Reply first = reply("no-answer", entry("a", 200), entry("b", 500));
    Reply second = reply("port-unreachable", entry("a", 404), entry("b", 404), entry("c", 200));
    Reply both = second.after(first);
    assertEquals(List.of(200, 404, 200), both.nodes().stream().map(Entry::status).toList());
    assertEquals("port-unreachable", both.end());
  }
}
