// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.netserv.frames.FrameException;
import org.netserv.frames.FrameException.Reason;
import org.netserv.frames.Json;

/** Reads frames of a container within their bounds, and refuses the others. */
final class AgentTextTest {
  private static final long SEED = 20_251_122;

  private static AgentText text(String json) throws FrameException {
    return AgentText.of(json.getBytes(StandardCharsets.UTF_8));
  }

  private static Reason refusal(byte[] frame) {
    return assertThrows(FrameException.class, () -> AgentText.of(frame)).reason();
  }

  private static Reason refusal(String json) {
    return refusal(json.getBytes(StandardCharsets.UTF_8));
  }

  private static ObjectNode hello(int modules) {
    ObjectNode hello = Json.object();
    hello.putObject("hello").put("protocol", "1.0").put("build", "0.1.0");
    ArrayNode list = hello.put("jvm", "17").put("profile", "base-1").putArray("modules");
    for (int i = 0; i < modules; i++) {
      list.addObject()
          .put("module", "m".repeat(123) + i)
          .put("version", "1.0.0")
          .put("sha256", "0".repeat(64))
          .put("state", "running");
    }
    return hello;
  }

  private static final String EVENT =
      "{\"event\":\"leak\",\"module\":\"a.b\",\"reason\":\"thread 'x' is alive\"}";

  @Test
  void tellsMessagesApart() throws Exception {
    assertEquals(AgentText.Kind.HELLO, text(hello(1).toString()).kind());
    assertEquals(AgentText.Kind.EVENT, text(EVENT).kind());
    assertEquals(AgentText.Kind.REPLY, text("{\"ok\":true,\"id\":7}").kind());
    assertEquals(7, text("{\"ok\":true,\"id\":7}").id());
    assertEquals(AgentText.Kind.OTHER, text("{}").kind());
    assertEquals(AgentText.Kind.OTHER, text("{\"id\":-7}").kind());
    assertEquals(AgentText.Kind.OTHER, text("{\"id\":\"7\"}").kind());
    assertEquals(AgentText.Kind.OTHER, text("{\"id\":99999999999999999999}").kind());
    assertEquals(AgentText.Kind.OTHER, text("{\"x\":{\"event\":\"leak\",\"id\":1}}").kind());
    assertEquals(AgentText.Kind.OTHER, text("{\"hello\":1,\"event\":2}").kind());
  }

  @Test
  void aHelloOfAsManyModulesAsPolicyAllowsFits() throws Exception {
    byte[] frame = Json.print(hello(AgentShapes.MODULES));
    assertTrue(frame.length < AgentText.FRAME, frame.length + " bytes");
    assertEquals(AgentShapes.MODULES, AgentHello.of(AgentText.of(frame)).modules().size());
  }

  @Test
  void aHelloAndAnEventCutAnywhereAreRefused() throws Exception {
    for (String whole : List.of(hello(2).toString(), EVENT)) {
      byte[] frame = whole.getBytes(StandardCharsets.UTF_8);
      for (int length = 0; length < frame.length; length++) {
        Reason reason = refusal(Arrays.copyOf(frame, length));
        assertTrue(
            reason == Reason.NOT_JSON || reason == Reason.NOT_OBJECT, length + ": " + reason);
      }
      AgentText.of(frame);
    }
  }

  @Test
  void nestingTokensNamesAndNumbersHaveLimits() {
    for (int depth : List.of(AgentText.DEPTH, 10_000)) {
      assertEquals(Reason.LIMIT, refusal("{\"a\":" + "[".repeat(depth)));
      assertEquals(Reason.LIMIT, refusal("{\"a\":".repeat(depth + 1)));
    }
    assertEquals(Reason.LIMIT, refusal("{\"a\":[" + "0,".repeat(AgentText.TOKENS) + "0]}"));
    assertEquals(Reason.LIMIT, refusal("{\"a\":" + "1".repeat(33) + "}"));
    assertEquals(Reason.LIMIT, refusal("{\"" + "n".repeat(129) + "\":1}"));
    assertEquals(Reason.NOT_JSON, refusal("{\"a\":1,\"a\":2}"));
    assertEquals(Reason.NOT_JSON, refusal("{} {}"));
    assertEquals(Reason.NOT_JSON, refusal(new byte[] {'{', '"', (byte) 0xc0, (byte) 0x80}));
    assertEquals(Reason.NOT_OBJECT, refusal("[]"));
    assertEquals(Reason.NOT_OBJECT, refusal("1"));
  }

  @Test
  void valuesAreMovedIntoTheirRanges() throws Exception {
    String reply =
        "{\"id\":1,\"ok\":\"yes\",\"status\":99999999999999999999,\"phase\":\"start\","
            + "\"dispatcher\":{\"packets\":-5,\"a\\u0007b\":99999999999999999999,\"x\":\"y\"},"
            + "\"modules\":[{\"module\":\"a\\nb\",\"state\":\"gone\",\"packets\":-1,\"last\":7,"
            + "\"counts\":{\"HIT\":3,\"a\\u0007b\":-1,\"x\":\"y\"}},3]}";
    ObjectNode read = text(reply).read(AgentShapes.reply("counters"));
    ObjectNode expected = Json.object().put("status", 500).put("phase", "start");
    expected.putObject("dispatcher").put("packets", 0L).put("a?b", 1L << 53);
    ObjectNode module = expected.putArray("modules").addObject();
    module.put("module", "a?b").put("packets", 0L).put("last", 7L);
    module.putObject("counts").put("HIT", 3L).put("a?b", 0L);
    assertEquals(
        Json.object().put("status", 500).put("phase", "start").toString(),
        text(reply).read(AgentShapes.reply("ping")).toString());
    assertEquals(Json.parse(Json.print(expected)), Json.parse(Json.print(read)));
    for (int status : List.of(-1, 0, 200, 399, 600)) {
      assertEquals(500, status(status));
    }
    assertEquals(424, status(424));
  }

  @Test
  void rulesAreBounded() throws Exception {
    String rule =
        "{\"prefix\":\"%s\",\"bits\":999,\"action\":\"%s\",\"origin\":\"a\\u001bb\",\"hits\":-3,\"preference\":-40,"
            + "\"kernel\":true,\"surprise\":1}";
    String good = rule.formatted("0".repeat(99), "drop");
    String all = good + ("," + rule.formatted("1", "explode")).repeat(199);
    ObjectNode read =
        text("{\"ok\":true,\"count\":100000,\"rules\":[" + all + "]}")
            .read(AgentShapes.reply("rules"));
    assertEquals(100_000, read.path("count").asInt());
    assertEquals(128, read.path("rules").size());
    JsonNode first = read.path("rules").path(0);
    assertEquals(64, first.path("prefix").asText().length());
    assertEquals(
        "256 drop a?b 0 -40 true",
        words(first, "bits", "action", "origin", "hits", "preference", "kernel"));
    assertFalse(first.has("surprise"));
    assertFalse(read.path("rules").path(1).has("action"));
  }

  private static String words(JsonNode node, String... names) {
    return Arrays.stream(names)
        .map(name -> node.path(name).asText())
        .collect(Collectors.joining(" "));
  }

  private static int status(int said) throws FrameException {
    return text("{\"status\":" + said + "}")
        .read(AgentShapes.reply("install"))
        .path("status")
        .asInt();
  }

  @Test
  void aDumpKeepsItsLinesAndNoEscapes() throws Exception {
    ObjectNode reply =
        text("{\"dump\":\"one\\r\\n\\ttwo\\u001b[2J\\n\\u202ethree\"}")
            .read(AgentShapes.reply("threads"));
    assertEquals("one?\n?two?[2J\n?three\n", reply.path("dump").asText());
  }

  /** Each reply, each hello and event is either refused with a name, or within its bounds. */
  @Test
  void nothingThatIsReadIsBeyondItsBounds() throws Exception {
    Random random = new Random(SEED);
    List<byte[]> samples = new ArrayList<>();
    samples.add(Json.print(hello(3)));
    samples.add(EVENT.getBytes(StandardCharsets.UTF_8));
    samples.add(
        ("{\"id\":1,\"ok\":false,\"error\":\"e\",\"status\":424,\"phase\":\"start\",\"packets\":[{\"seq\":1,"
                + "\"steps\":[{\"module\":\"m\",\"verdict\":\"pass\",\"reason\":\"r\"}],\"final\":\"pass\"}],"
                + "\"modules\":[{\"module\":\"m\",\"packets\":1}],\"dispatcher\":{\"packets\":1}}")
            .getBytes(StandardCharsets.UTF_8));
    Map<Reason, Integer> refusals = new EnumMap<>(Reason.class);
    int read = 0;
    for (int i = 0; i < 50_000; i++) {
      byte[] frame = mutated(samples.get(random.nextInt(samples.size())), random);
      try {
        AgentText text = AgentText.of(frame);
        AgentHello.of(text);
        AgentEvent.of(text);
        for (String op : List.of("install", "counters", "trace", "rules", "threads", "ping")) {
          bounded(text.read(AgentShapes.reply(op)));
        }
        read++;
      } catch (FrameException e) {
        refusals.merge(e.reason(), 1, Integer::sum);
      }
    }
    assertTrue(read > 1_000 && refusals.get(Reason.NOT_JSON) > 1_000, read + " " + refusals);
  }

  private static byte[] mutated(byte[] sample, Random random) {
    byte[] frame = sample.clone();
    for (int changes = random.nextInt(4); changes >= 0; changes--) {
      int at = random.nextInt(frame.length);
      switch (random.nextInt(4)) {
        case 0 -> frame[at] = (byte) random.nextInt(256);
        case 1 -> frame = Arrays.copyOf(frame, at + 1);
        case 2 -> System.arraycopy(frame, 0, frame, at, Math.min(at, frame.length - at));
        default -> frame[at] = (byte) "{}[]\",:0123456789-eE\\u".charAt(random.nextInt(22));
      }
    }
    return frame;
  }

  private static void bounded(JsonNode node) {
    if (node.isTextual()) {
      assertTrue(node.textValue().length() <= 512);
      assertTrue(node.textValue().chars().noneMatch(c -> (c < ' ' && c != '\n') || c == 0x7f));
    } else if (node.isNumber()) {
      assertTrue(node.longValue() >= 0 && node.longValue() <= 1L << 53);
    }
    node.forEach(AgentTextTest::bounded);
  }
}
