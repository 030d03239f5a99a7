// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.serval.ServiceId;

/** The heap of times beside a search through all streams. */
class StreamTimesTest {
  private final StreamTimes times = new StreamTimes();

  @Test
  void theEarliestIsFirst() {
    Random random = new Random(1);
    ServalStream[] streams = new ServalStream[100];
    for (int i = 0; i < streams.length; i++) {
      streams[i] = new ServalStream(null, ServiceId.parse("0c"), null);
    }
    for (int i = 0; i < 100_000; i++) {
      long dueAt = random.nextInt(4) == 0 ? Long.MAX_VALUE : random.nextInt(1_000);
      times.set(streams[random.nextInt(streams.length)], dueAt);
      long earliest = Long.MAX_VALUE;
      int due = 0;
      for (ServalStream stream : streams) {
        earliest = Math.min(earliest, stream.dueAt());
        due += stream.dueAt() == Long.MAX_VALUE ? 0 : 1;
        assertEquals(stream.dueAt() == Long.MAX_VALUE, stream.place() == StreamTimes.NOWHERE);
      }
      assertEquals(earliest, times.dueAt());
      assertEquals(due, times.size());
      assertTrue(due == 0 || times.first().dueAt() == earliest);
    }
    long before = 0;
    while (times.size() > 0) {
      assertTrue(before <= times.dueAt());
      before = times.dueAt();
      times.set(times.first(), Long.MAX_VALUE);
    }
  }
}
