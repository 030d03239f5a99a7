// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FlowIndexTest {
  /** 100,000 changes beside a map, with flowIDs that share their low bits. */
  @Test
  void theIndexIsTheMap() {
    Random random = new Random(6);
    FlowIndex index = new FlowIndex();
    Map<Integer, HeldFlow> map = new HashMap<>();
    for (int i = 0; i < 100_000; i++) {
      int flowId = random.nextInt(4) << 20 | random.nextInt(500);
      HeldFlow held = map.get(flowId);
      assertSame(held, index.get(flowId));
      if (held == null) {
        held = new HeldFlow(flowId, null, null, null);
        index.add(held);
        map.put(flowId, held);
      } else if (random.nextInt(3) > 0) {
        index.remove(held);
        map.remove(flowId);
      }
      assertEquals(map.size(), index.size());
    }
    map.values().forEach(index::remove);
    assertEquals(0, index.size());
    map.keySet().forEach(flowId -> assertSame(null, index.get(flowId)));
  }
}
