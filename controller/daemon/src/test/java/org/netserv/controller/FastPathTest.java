// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.frames.Json;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.policy.FastPathPolicy;

/** The controller and a fast path that the spawner offers. */
final class FastPathTest extends LivingNode {
  private void offers(String features) {
    node.spawner.layers = Map.of("layers", "uid", "missing", "", "features", features);
    node.controller.connected();
    node.loop.run();
  }

  private JsonNode status() {
    return node.op(Json.object().put("op", "status")).path("fastPath");
  }

  private JsonNode capabilities() throws Exception {
    Ncm.Builder probe =
        Ncm.builder(Method.PROBE, "*")
            .set(Header.PROBE, "capabilities")
            .set(Header.USER, "jane")
            .date(Instant.ofEpochMilli(node.loop.wall()))
            .nonce(new byte[16])
            .set(Header.TO, "198.51.100.7");
    return node.ask(probe).data().path("capabilities");
  }

  @Test
  void whereTheKernelCannotNothingIsOrdered() throws Exception {
    node.settings.fastPath = List.of("eth0");
    offers("");
    assertEquals(0, node.spawner.count("fastpath"));
    assertEquals("this node has none", status().path("because").asText());
    assertEquals(0, capabilities().path("fastPath").size());
  }

  @Test
  void policySaysWhere() throws Exception {
    offers("xdp-native,tc,afxdp");
    assertEquals(
        1, node.spawner.count("fastpath")); // an earlier controller may have said otherwise
    assertEquals(0, capabilities().path("fastPath").size());
    node.settings.fastPath = List.of("eth0", "eth1");
    node.controller.reload();
    node.loop.run();
    assertEquals(
        "eth0,eth1",
        node.spawner.asked.stream()
            .filter(request -> request.verb().equals("fastpath"))
            .reduce((first, second) -> second)
            .orElseThrow()
            .values()
            .get("interfaces"));
    assertEquals("eth1", status().path("interfaces").path(1).asText());
    assertEquals("kernel", status().path("forward").asText());
    assertEquals("tc", capabilities().path("fastPath").path(1).asText());
    assertEquals("afxdp", capabilities().path("planes").path(1).asText());
  }

  @Test
  void theWayOutThatIsCarriedOutIsTold() {
    node.settings.fastPath = List.of("eth0");
    node.settings.forward = FastPathPolicy.Forward.DIRECT;
    offers("xdp-native,tc");
    assertEquals("direct", status().path("forward").asText());
    node.spawner.refuseFastPath = "forward: why";
    node.settings.forward = FastPathPolicy.Forward.KERNEL;
    node.controller.reload();
    node.loop.run();
    assertTrue(status().path("forward").isMissingNode());
  }

  @Test
  void aRefusalIsTold() {
    node.settings.fastPath = List.of("eth9");
    node.spawner.refuseFastPath = "interfaces: eth9: no such device";
    offers("tc,count");
    assertEquals("interfaces: eth9: no such device", status().path("because").asText());
    assertEquals(0, status().path("interfaces").size());
  }

  private NcmReply count(String user, String module, String sample) throws Exception {
    Ncm.Builder setup = node.setup(user, module, "1.0.0").set(Header.FILTER_COUNT, "src,ttl");
    return node.ask(sample.isEmpty() ? setup : setup.set(Header.FILTER_SAMPLE, sample));
  }

  private String filters() {
    return String.join("; ", node.spawner.filters);
  }

  private static void assertRefused(String reason, NcmReply reply) {
    assertEquals(424, reply.answer().status());
    assertEquals("filter-count", reply.answer().header());
    assertEquals(reason, reply.answer().reason());
  }

  @Test
  void whatTheKernelIsToCountIsRefusedWhereItCannot() throws Exception {
    offers("tc,count");
    assertRefused("the fast path of this node is off", count("jane", "a.b", ""));
    node.settings.fastPath = List.of("eth0", "eth1");
    node.spawner.tc = "link,none";
    offers("tc,count");
    assertRefused(
        "the kernel of this node does not count what comes in by eth1", count("jane", "a.b", ""));
    assertFalse(capabilities().path("filterCount").asBoolean());
    offers("xdp-native,tc");
    assertRefused(
        "the kernel of this node does not take the program that would count",
        count("jane", "a.b", ""));
    assertEquals("", filters());
  }

  @Test
  void whatTheKernelCountsDoesNotComeToTheModule() throws Exception {
    node.settings.fastPath = List.of("eth0");
    offers("tc,count");
    assertTrue(capabilities().path("filterCount").asBoolean());
    assertEquals(200, count("jane", "a.b", "1/10").answer().status());
    assertEquals(
        "family=4 proto=17 dst=192.0.2.0/24 dport=5060-5060 queue=0 count=src,ttl", filters());
    assertEquals(0, node.agents.get("jane").asked.get(0).path("filters").size());
    assertRefused("a.b counts already, and a publisher has one table", count("jane", "c.d", ""));
    assertEquals(200, count("john", "c.d", "").answer().status());
  }

  @Test
  void copiesComeWhereTheKernelDoesNotCount() throws Exception {
    node.settings.fastPath = List.of("eth0");
    offers("tc,count");
    assertEquals(200, count("jane", "a.b", "1/10").answer().status());
    node.settings.fastPath = List.of();
    node.controller.reload();
    node.loop.run();
    assertTrue(filters().endsWith("sample=10"), filters());
    node.settings.fastPath = List.of("eth0");
    node.controller.reload();
    node.loop.run();
    assertTrue(filters().endsWith("count=src,ttl"), filters());
  }

  @Test
  void theNodeCountsByAFewFilters() throws Exception {
    node.settings.fastPath = List.of("eth0");
    offers("tc,count");
    String ports = "1,2,3,4,5,6,7";
    assertEquals(
        200,
        node.ask(
                node.setup("jane", "a.b", "1.0.0")
                    .set(Header.FILTER_PORT, ports)
                    .set(Header.FILTER_COUNT, "src"))
            .answer()
            .status());
    assertRefused(
        "it makes 2 filters of IPv4; the node counts by 8, of which 1 are left",
        node.ask(
            node.setup("john", "c.d", "1.0.0")
                .set(Header.FILTER_PORT, "1,2")
                .set(Header.FILTER_COUNT, "src")));
    assertEquals(200, count("john", "c.d", "").answer().status());
  }

  @Test
  void itsEndAndItsReturnAreTold() throws Exception {
    node.settings.fastPath = List.of("eth0");
    offers("tc,count");
    assertEquals("eth0", status().path("interfaces").path(0).asText());
    node.controller.event("fastpath", Map.of("features", "", "reason", "bpfd has ended"));
    assertEquals("bpfd has ended", status().path("because").asText());
    assertEquals(0, capabilities().path("fastPath").size());
    node.controller.event("fastpath", Map.of("features", "tc", "reason", ""));
    assertEquals("", status().path("because").asText());
    assertEquals("eth0", status().path("interfaces").path(0).asText());
    assertEquals(1, node.spawner.count("fastpath"));
  }

  /**
   * Shows programs of the operator. Only root can write their files, and no policy and no message
   * names them.
   */
  @Test
  void programsOfTheOperatorAreShown() {
    node.settings.fastPath = List.of("eth0");
    node.controller.event(
        "fastpath",
        Map.of(
            "features",
            "tc",
            "programs",
            "tc-3,xdp-2",
            "programs-refused",
            "tc-4: why",
            "reason",
            ""));
    node.loop.run();
    assertEquals("xdp-2", status().path("programs").path(1).asText());
    assertEquals("tc-4: why", status().path("programsRefused").asText());
    assertEquals("eth0", status().path("interfaces").path(0).asText());
    node.controller.event("fastpath", Map.of("features", "", "reason", "bpfd has ended"));
    assertEquals(0, status().path("programs").size());
    assertEquals("", status().path("programsRefused").asText());
  }

  @Test
  void whatWasNotThereAtFirstIsOrderedWhenItComes() {
    node.settings.fastPath = List.of("eth0");
    offers("");
    node.controller.event("fastpath", Map.of("features", "tc", "reason", ""));
    node.loop.run();
    assertEquals(1, node.spawner.count("fastpath"));
    assertEquals("eth0", status().path("interfaces").path(0).asText());
  }

  /**
   * A flow in the kernel belongs to its modules. By the claim's number, bpfd tells sets of modules
   * apart.
   */
  @Test
  void eachModuleThatComesOrGoesIsAnotherClaim() throws Exception {
    node.ask(node.setup("jane", "a.b", "1.0.0"));
    String first = node.spawner.claims.get(0);
    node.ask(node.setup("jane", "a.c", "1.0.0"));
    List<String> both = node.spawner.claims;
    assertEquals(1, both.size());
    assertNotEquals(first, both.get(0));
    node.ask(node.remove("jane", "a.c"));
    node.loop.run();
    assertEquals(1, node.spawner.claims.size());
    assertNotEquals(first, node.spawner.claims.get(0));
    assertNotEquals(both.get(0), node.spawner.claims.get(0));
  }

  @Test
  void aReloadWritesFiltersAnewForTheirPlane() throws Exception {
    offers("tc,count");
    long before = node.spawner.count("filters");
    node.controller.reload();
    node.loop.run();
    assertEquals(before + 1, node.spawner.count("filters"));
  }

  @Test
  void statusSumsUpWhatIsRefused() throws Exception {
    node.settings.fastPath = List.of("eth0");
    offers("tc,count");
    node.ask(node.setup("jane", "a.b", "1.0.0"));
    node.spawner.stats.putAll(
        Map.of(
            "flows", "3",
            "offload_requested", "9",
            "offload_unfit", "2",
            "flows-refused-quota", "4"));
    assertEquals(3, status().path("flows").asLong());
    assertEquals(6, status().path("refused").asLong());
  }
}
