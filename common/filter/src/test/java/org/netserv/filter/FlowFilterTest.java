// SPDX-License-Identifier: Apache-2.0
package org.netserv.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.netserv.values.BadValueException;
import org.netserv.values.PortRange;
import org.netserv.values.Prefix;

class FlowFilterTest {
  @Test
  void filtersHoldTogether() throws BadValueException {
    Prefix four = Prefix.parse("192.0.2.0/24");
    Prefix six = Prefix.parse("2001:db8::/32");
    PortRange port = new PortRange(5060, 5060);
    assertEquals(17, new FlowFilter(4, 17, null, four, null, port, 0, false).protocol());
    bad(() -> new FlowFilter(6, 17, null, four, null, port, 0, false));
    bad(() -> new FlowFilter(4, 17, six, four, null, port, 0, false));
    bad(() -> new FlowFilter(4, 17, null, null, null, port, 0, false));
    bad(() -> new FlowFilter(4, 1, null, four, null, port, 0, false));
    bad(() -> new FlowFilter(4, 0, null, four, port, null, 0, false));
    bad(() -> new FlowFilter(4, 17, null, four, null, null, 0, true));
    bad(() -> new FlowFilter(4, 17, null, four, null, null, -1, false));
    bad(() -> new FlowFilter(5, 17, null, four, null, null, 0, false));
    bad(() -> new FlowFilter(4, 256, null, four, null, null, 0, false));
  }

  private static void bad(Executable maker) {
    assertThrows(IllegalArgumentException.class, maker);
  }
}
