// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.frames.Json;
import org.netserv.ncm.ResponseEntry;

class EntriesTest {
  @Test
  void dataAlwaysFits() throws Exception {
    ObjectNode data = Json.object();
    data.putObject("node").put("version", "0.1.0");
    data.putObject("capabilities").put("blocks", "€".repeat(1400));
    data.putObject("policy").put("grants", "x".repeat(900));
    String text = Entries.data(new NcmReply(new Answer(200, null, "here"), data));
    assertTrue(text.getBytes(StandardCharsets.UTF_8).length <= ResponseEntry.MAX_DATA);
    ObjectNode read = (ObjectNode) new ObjectMapper().readTree(text);
    assertEquals("capabilities", read.path("cut").path(0).asText());
    assertEquals(1, read.path("cut").size());
    assertEquals("0.1.0", read.path("node").path("version").asText());
    assertEquals(900, read.path("policy").path("grants").asText().length());
  }

  @Test
  void smallDataIsWhole() throws Exception {
    ObjectNode data = Json.object().put("module", "a");
    String text = Entries.data(new NcmReply(new Answer(403, "to", "no"), data));
    assertEquals("{\"module\":\"a\",\"reason\":\"no\",\"header\":\"to\"}", text);
  }
}
