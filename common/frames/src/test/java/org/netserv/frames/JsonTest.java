// SPDX-License-Identifier: Apache-2.0
package org.netserv.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.netserv.frames.FrameException.Reason;

class JsonTest {
  private static final String EACH_KIND =
      "{\"text\":\"a\\\"\\u00e9\\u20ac\\n\",\"int\":-1,\"long\":9007199254740993,"
          + "\"big\":123456789012345678901234567890,"
          + "\"float\":1.5e300,\"true\":true,\"false\":false,\"null\":null,"
          + "\"list\":[1,[],{\"in\":[{}]}],\"empty\":{}}";

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void readsAndPrintsWhatJacksonsMapperDoes() throws IOException {
    ObjectNode ours = Json.parse(utf8(EACH_KIND));
    assertEquals(new ObjectMapper().readTree(EACH_KIND), ours);
    assertEquals(ours.toString(), new String(Json.print(ours), StandardCharsets.UTF_8));
    assertEquals(ours, Json.parse(Json.print(ours)));
  }

  @Test
  void printsWhatNoParserMakes() {
    ObjectNode object = Json.object().put("float", 1.5f).put("short", (short) 7);
    object.set("missing", object.path("nowhere"));
    assertEquals(
        "{\"float\":1.5,\"short\":7,\"missing\":null}",
        new String(Json.print(object), StandardCharsets.UTF_8));
    object.put("bytes", new byte[1]);
    assertThrows(IllegalArgumentException.class, () -> Json.print(object));
  }

  @Test
  void refusesWhatIsTruncatedAnywhere() {
    byte[] whole = utf8(EACH_KIND);
    for (int length = 1; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertEquals(
          Reason.NOT_JSON, assertThrows(FrameException.class, () -> Json.parse(part)).reason());
    }
  }

  @Test
  void refusesWhatIsTooDeepOrTooLong() {
    for (String text :
        new String[] {
          "{\"a\":" + "[".repeat(32) + "]".repeat(32) + "}",
          "{\"a\":" + "1".repeat(65) + "}",
          "{\"" + "a".repeat(1025) + "\":1}",
          "{\"a\":tru}",
          "{\"a\":NaN}",
          "{} x"
        }) {
      assertEquals(
          Reason.NOT_JSON,
          assertThrows(FrameException.class, () -> Json.parse(utf8(text)), text).reason());
    }
  }
}
