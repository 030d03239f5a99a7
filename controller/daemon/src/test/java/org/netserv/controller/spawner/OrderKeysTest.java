// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.spawner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.policy.ContainerPrefixes;
import org.netserv.policy.FastPathPolicy;
import org.netserv.policy.NodePolicy;
import org.netserv.policy.PacketLimits;
import org.netserv.policy.Plane;
import org.netserv.policy.Quotas;
import org.netserv.values.Prefix;

/** The spawner's keys, which it reads by orders.keys: requests, policy and the page agree. */
class OrderKeysTest {
  private static final Path KEYS =
      Path.of("..", "..", "container-native", "spawner", "orders", "orders.keys");
  private static final Path PAGE = Path.of("..", "..", "docs", "protocols", "spawner.md");

  /** A line of the file; {@code least} and {@code most} are those of a number. */
  private record Key(Set<String> orders, String name, long least, long most, boolean optional) {
    static Key parse(String line) {
      List<String> words = List.of(line.split(" +", -1));
      boolean number = words.get(2).equals("NUMBER");
      return new Key(
          Set.of(words.get(0).split(",", -1)),
          words.get(1),
          number ? Long.parseLong(words.get(3)) : 0,
          number ? Long.parseLong(words.get(4)) : 0,
          words.get(words.size() - 1).equals("optional"));
    }
  }

  private static List<Key> keys(String order) throws IOException {
    try (Stream<String> lines = Files.lines(KEYS)) {
      return lines
          .filter(line -> !line.isBlank() && !line.startsWith("#") && line.contains(" "))
          .map(Key::parse)
          .filter(key -> key.orders().contains(order))
          .toList();
    }
  }

  static List<SpawnerRequest> requests() throws Exception {
    ContainerSpec container =
        new ContainerSpec(
            "jane",
            700_003,
            106,
            OptionalInt.of(3),
            Quotas.DEFAULTS,
            new PacketLimits(200, 1000, 256),
            Plane.QUEUE,
            List.of(),
            List.of(),
            List.of(),
            Set.of(),
            List.of(),
            List.of(),
            Set.of());
    ContainerPrefixes prefixes =
        new ContainerPrefixes(Prefix.parse("10.77.64.0/18"), Prefix.parse("fd00:1:2::/48"));
    FastPathPolicy fastPath =
        new FastPathPolicy(
            List.of("eth0"), FastPathPolicy.Mode.AUTO, FastPathPolicy.Forward.KERNEL);
    return List.of(
        SpawnerRequest.prepare(true, List.of("eth0"), List.of(2), prefixes),
        SpawnerRequest.fastPath(fastPath),
        SpawnerRequest.start(container),
        SpawnerRequest.spares(1, Quotas.DEFAULTS),
        SpawnerRequest.stop("jane", 1000, true),
        SpawnerRequest.filters(List.of()),
        SpawnerRequest.stats("jane"),
        SpawnerRequest.forget("jane"),
        SpawnerRequest.list(),
        SpawnerRequest.talkers(16),
        SpawnerRequest.spareJobs(1, 64, List.of(443)),
        SpawnerRequest.worker("j1", 64, 60, List.of(443), List.of(), List.of(), true));
  }

  @ParameterizedTest
  @MethodSource("requests")
  void aRequestHasEachKeyOfItsOrderAndNoOther(SpawnerRequest request) throws IOException {
    Set<String> known = new TreeSet<>();
    for (Key key : keys(request.verb())) {
      known.add(key.name());
      String value = request.values().get(key.name());
      assertNotNull(value, request.verb() + " without " + key.name());
      if (key.most() > 0) {
        long number = Long.parseLong(value);
        assertTrue(number >= key.least() && number <= key.most(), key + " " + number);
      }
    }
    assertEquals(known, new TreeSet<>(request.values().keySet()));
  }

  /** Else a publisher's file would be good, and its container could not be started. */
  @ParameterizedTest
  @ValueSource(strings = {"quotas", "limits"})
  void policyAllowsNothingThatTheSpawnerRefuses(String group) throws IOException {
    List<String> seen = new ArrayList<>();
    try (InputStream schema = NodePolicy.class.getResourceAsStream("publisher.schema.json")) {
      JsonNode rules = new ObjectMapper().readTree(schema).at("/properties/" + group);
      for (Key key : keys("start")) {
        JsonNode rule = rules.path("properties").path(key.name());
        if (rule.isMissingNode()) {
          rule = rules.path("properties").path(key.name() + "-per-second");
        }
        if (!rule.isMissingNode()) {
          seen.add(key.name());
          assertTrue(rule.path("minimum").asLong(-1) >= key.least(), key.toString());
          assertTrue(rule.path("maximum").asLong(Long.MAX_VALUE) <= key.most(), key.toString());
        }
      }
    }
    assertEquals(group.equals("quotas") ? 13 : 3, seen.size(), seen.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "prepare,prepare",
    "fastpath,fastpath",
    "start,start",
    "'spares, the order',spares",
    "stop,stop",
    "filters,filters",
    "stats,stats",
    "talkers,talkers",
    "worker,worker"
  })
  void thePageHasTheSameKeys(String heading, String order) throws IOException {
    String page = Files.readString(PAGE);
    int begin = page.indexOf("\n### " + heading + "\n");
    assertTrue(begin >= 0, heading);
    Set<String> told = new TreeSet<>();
    boolean block = false;
    for (String line : page.substring(begin).lines().skip(2).toList()) {
      if (line.startsWith("    ")) {
        block = true;
        Matcher name = Pattern.compile("([a-z0-9-]+)=").matcher(line.split("  +(?=[^ ])", 3)[1]);
        while (name.find()) {
          told.add(name.group(1));
        }
      } else if (block) {
        break;
      }
    }
    assertEquals(
        new TreeSet<>(keys(order).stream().map(Key::name).toList()), told, "of " + heading);
  }

  @Test
  void theFileHasEveryOrderOfTheController() throws Exception {
    List<String> lines = Files.readAllLines(KEYS);
    for (SpawnerRequest request : requests()) {
      assertTrue(
          lines.stream()
              .anyMatch(l -> List.of(l.split(" ", 2)[0].split(",", -1)).contains(request.verb())),
          request.verb());
    }
    assertEquals(Map.of(), SpawnerRequest.list().values());
  }
}
