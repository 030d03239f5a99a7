// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class GistRehearsalTest {
  @Test
  void everyHandshakeIsWholeWithAndWithoutAnAssociation() {
    assertEquals(10, GistRehearsal.run(5));
  }
}
