// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.controller.spawner.SpawnerRequest;
import org.netserv.policy.NodePolicy;
import org.netserv.policy.Quotas;
import org.netserv.values.PublisherKeys;

/** The orders to the spawner that follow from files as operators write them. */
final class PolicySettingsTest {
  private static final int FIRST_ID = 500_000;

  @TempDir Path etc;

  private PolicySettings settings(String node) throws Exception {
    Files.createDirectories(etc.resolve("publishers.d"));
    Files.writeString(etc.resolve("node.yaml"), node);
    Files.writeString(
        etc.resolve("publishers.d/jane.yaml"),
        "index: 3\nkeys: ['" + PublisherKeys.printLine(SmallNode.JANE.getPublic()) + "']\n");
    return new PolicySettings(etc, NodePolicy.load(etc), FIRST_ID, "id");
  }

  private static Map<String, String> start(PolicySettings settings) {
    return SpawnerRequest.start(settings.start("jane").orElseThrow()).values();
  }

  private static Map<String, String> fastPath(PolicySettings settings) {
    return SpawnerRequest.fastPath(settings.fastPath()).values();
  }

  @Test
  void aSpareIsWhatAPublisherWithoutQuotasGets() throws Exception {
    PolicySettings settings = settings("spares: 2");
    Map<String, String> spare = SpawnerRequest.spares(settings.spares(), Quotas.DEFAULTS).values();
    assertEquals(
        Set.of("count", "memory", "heap", "direct", "metaspace", "cpu", "pids", "files"),
        spare.keySet());
    assertEquals("2", spare.get("count"));
    Map<String, String> start = start(settings);
    spare.forEach(
        (key, value) -> assertEquals(key.equals("count") ? "2" : start.get(key), value, key));
  }

  @Test
  void flowsAndPlaneGoToTheSpawner() throws Exception {
    PolicySettings settings = settings("");
    assertEquals("256", start(settings).get("flows"));
    assertEquals("queue", start(settings).get("plane"));
    assertFalse(settings.afxdp("jane"));
    assertEquals(Map.of("interfaces", "", "mode", "auto", "forward", "kernel"), fastPath(settings));
    settings = settings("fast-path: {interfaces: [eth0, eth1], mode: generic, forward: direct}");
    assertEquals(
        Map.of("interfaces", "eth0,eth1", "mode", "generic", "forward", "direct"),
        fastPath(settings));
    Files.writeString(
        etc.resolve("publishers.d/jane.yaml"),
        "plane: afxdp\nquotas: {flows: 0}\n",
        StandardOpenOption.APPEND);
    assertEquals(Optional.empty(), settings.reload());
    assertEquals("0", start(settings).get("flows"));
    assertEquals("afxdp", start(settings).get("plane"));
    assertTrue(settings.afxdp("jane"));
  }

  @Test
  void aProgramIsGrantedByName() throws Exception {
    PolicySettings settings = settings("");
    assertEquals("", start(settings).get("process"));
    Files.writeString(
        etc.resolve("publishers.d/jane.yaml"), "process: [ffmpeg]\n", StandardOpenOption.APPEND);
    assertEquals(Optional.empty(), settings.reload());
    assertEquals("ffmpeg", start(settings).get("process"));
  }

  @Test
  void whereALayerIsLeftOutThereAreNone() throws Exception {
    assertEquals(0, settings("isolation: {without: [uts]}").spares());
    assertEquals(1, settings("").spares());
  }

  @Test
  void slotsHaveUidsOfTheirOwn() throws Exception {
    PolicySettings settings = settings("");
    assertFalse(settings.isSpare(FIRST_ID + 79_999));
    assertTrue(settings.isSpare(FIRST_ID + 80_000));
    assertTrue(settings.isSpare(FIRST_ID + 80_255));
    assertFalse(settings.isSpare(FIRST_ID + 80_256));
    assertEquals("jane", settings.userOf(FIRST_ID + 10_003).orElseThrow());
  }

  @Test
  void whatDecidesAboutBundlesChangesTheTrust() throws Exception {
    PolicySettings settings = settings("");
    String before = settings.trust("jane");
    assertEquals(Optional.empty(), settings.reload());
    assertEquals(before, settings.trust("jane"));
    Files.writeString(
        etc.resolve("publishers.d/jane.yaml"),
        "revoked-certificates: ['0a']\n",
        StandardOpenOption.APPEND);
    assertEquals(Optional.empty(), settings.reload());
    assertNotEquals(before, settings.trust("jane"));
    assertNotEquals(before, settings("fetch: {max-bytes: 100000}").trust("jane"));
  }
}
