// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.junit.jupiter.api.Test;

class PathStageTest {
  private static int installed(String... states) {
    ArrayNode history = JsonNodeFactory.instance.arrayNode();
    for (String state : states) {
      history.addObject().put("state", state);
    }
    return PathStage.installed(history);
  }

  @Test
  void aRefreshOrALimitDuringAnInstallationIsNotAnother() {
    assertEquals(1, installed("accepted", "fetching", "installing", "installing", "running"));
  }

  @Test
  void eachWayIntoAnInstallationCounts() {
    assertEquals(0, installed());
    assertEquals(
        3, installed("installing", "running", "reinstalling", "running", "removed", "installing"));
  }
}
