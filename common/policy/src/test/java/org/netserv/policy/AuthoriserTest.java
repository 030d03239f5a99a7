// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.filter.FlowFilter;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmSigner;
import org.netserv.values.Addresses;
import org.netserv.values.PublisherKeys;

class AuthoriserTest {
  private static final KeyPair KEY =
      PublisherKeys.generate(PublisherKeys.Algorithm.ED25519, new SecureRandom());

  @TempDir private Path dir;

  private static Ncm.Builder setup() throws Exception {
    return Ncm.builder(Method.SETUP, "com.example.Module")
        .version("1.0.0")
        .set(Header.TTL, 60)
        .set(Header.USER, "alice")
        .set(Header.URL, "http://example.com/a.jar")
        .set(Header.DIGEST, "00".repeat(32))
        .date(Instant.parse("2026-11-21T12:00:00Z"))
        .nonce(new byte[16])
        .to(Addresses.parse("192.0.2.1"))
        .set(Header.SEQ, 1);
  }

  private Decision decide(Ncm.Builder builder, String... policy) throws Exception {
    NodePolicy node = new Etc(dir).anchor("ca").alice(policy).load();
    return node.publisher("alice")
        .orElseThrow()
        .authorise(NcmSigner.sign(builder.build(), KEY.getPrivate()), node);
  }

  private static Ncm.Builder match(String prefixes, String expression) throws Exception {
    return setup()
        .set(Header.FILTER_PROTO, "udp")
        .set(Header.FILTER_PORT, "5060")
        .set(Header.FILTER_PREFIX, prefixes)
        .set(Header.FILTER_MATCH, expression);
  }

  @Test
  void anExpressionBecomesTheProgramOfEachFamily() throws Exception {
    String[] policy = {"prefixes: [192.0.2.0/24, '2001:db8::/32']", "ports: [udp/5060]"};
    String both = "192.0.2.0/24,2001:db8::/32";
    List<FlowFilter> filters = decide(match(both, "udp src port 53"), policy).filters();
    assertEquals(2, filters.size());
    assertTrue(filters.get(0).match().startsWith("48:0:0:9,"), filters.get(0).match());
    assertTrue(filters.get(1).match().startsWith("48:0:0:6,"), filters.get(1).match());
    filters = decide(match(both, "host 2001:db8::5"), policy).filters();
    assertEquals(List.of(6), filters.stream().map(FlowFilter::family).toList());
    Decision none = decide(match("192.0.2.0/24", "ip6"), policy);
    assertEquals(Header.FILTER_MATCH, none.refusal().orElseThrow().header().orElseThrow());
  }

  private static String print(FlowFilter filter) {
    return filter.protocol()
        + " "
        + filter.destination()
        + (filter.destinationPorts() == null ? "" : " " + filter.destinationPorts())
        + (filter.sample() == 0 ? "" : " 1/" + filter.sample());
  }

  /**
   * Ports asked for | protocols | prefixes | sample | result: filters, or the status and the header
   * of the refusal.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "- | - | - | - | ''",
        "5060 | udp | - | - | 17 192.0.2.0/24 5060; 17 2001:db8::/32 5060",
        "5060-5061 | udp | 192.0.2.7 | - | 17 192.0.2.7/32 5060-5061",
        "5060-5062 | udp | - | - | 403 filter-port",
        "5060 | tcp | - | - | 6 192.0.2.0/24 5060; 6 2001:db8::/32 5060",
        "- | tcp | 192.0.2.0/25 | - | 6 192.0.2.0/25",
        "- | udp | - | - | 403 filter-proto",
        "- | icmp | 192.0.2.0/24 | - | 1 192.0.2.0/24",
        "- | sctp | - | - | 403 filter-proto",
        "- | - | 192.0.2.0/24 | - | 403 filter-proto",
        "5060,80 | udp,tcp | - | - | 403 filter-port",
        "5060 | udp,tcp | 192.0.2.1 | - | 17 192.0.2.1/32 5060; 6 192.0.2.1/32 5060",
        "5060 | - | - | - | 400 filter-port",
        "5060 | udp | 192.0.2.0/23 | - | 403 filter-prefix",
        "5060 | udp | 198.51.100.0/24 | - | 403 filter-prefix",
        "5060 | udp | ::ffff:192.0.2.1 | - | 17 192.0.2.1/32 5060",
        "5060 | udp | 192.0.2.1,198.51.100.1 | - | 403 filter-prefix",
        "5060 | udp | 0.0.0.0/0 | - | 403 filter-prefix",
        "5060 | udp | ::/0 | - | 403 filter-prefix",
        "5060 | udp | '' | - | 403 filter-prefix",
        "5060 | udp | - | 1/10 | 403 filter-sample",
        "- | - | - | 1/10 | 403 filter-sample",
      })
  void matrix(String ports, String protocols, String prefixes, String sample, String expected)
      throws Exception {
    Ncm.Builder ncm = setup();
    set(ncm, Header.FILTER_PORT, ports);
    set(ncm, Header.FILTER_PROTO, protocols);
    set(ncm, Header.FILTER_PREFIX, prefixes);
    set(ncm, Header.FILTER_SAMPLE, sample);
    Decision decision =
        decide(
            ncm, "prefixes: [192.0.2.0/24, '2001:db8::/32']", "ports: [udp/5060-5061, tcp, icmp]");
    assertEquals(expected, outcome(decision), decision.reason());
    assertFalse(decision.steps().isEmpty());
    if (!decision.granted()) {
      assertTrue(decision.steps().get(decision.steps().size() - 1).answer().startsWith("no"));
      assertFalse(decision.reason().isEmpty());
    }
  }

  private static void set(Ncm.Builder ncm, Header header, String value) {
    if (value != null) {
      ncm.set(header, value);
    }
  }

  private static String outcome(Decision decision) {
    return decision.granted()
        ? decision.filters().stream().map(AuthoriserTest::print).collect(Collectors.joining("; "))
        : decision.status() + " " + decision.header().map(Header::text).orElse("");
  }

  @Test
  void samplesNeedMonitorAndStayAtHomeWithoutMonitorAny() throws Exception {
    Ncm.Builder home = setup().set(Header.FILTER_PROTO, "udp").set(Header.FILTER_SAMPLE, "1/10");
    String[] monitor = {"prefixes: [192.0.2.0/24]", "ports: [udp]", "grants: [monitor]"};
    String[] any = {"prefixes: [192.0.2.0/24]", "ports: [udp]", "grants: [monitor-any]"};
    assertEquals("17 192.0.2.0/24 1/10", outcome(decide(home, monitor)));
    assertEquals("17 192.0.2.0/24 1/10", outcome(decide(home, any)));
    home.set(Header.FILTER_PREFIX, "0.0.0.0/0");
    assertEquals("403 filter-prefix", outcome(decide(home, monitor)));
    assertEquals("17 0.0.0.0/0 1/10", outcome(decide(home, any)));
    home.unset(Header.FILTER_SAMPLE);
    assertEquals("403 filter-prefix", outcome(decide(home, any)));
  }

  @Test
  void countsNeedTheSameGrants() throws Exception {
    Ncm.Builder home = setup().set(Header.FILTER_PROTO, "udp").set(Header.FILTER_COUNT, "ttl,src");
    String[] none = {"prefixes: [192.0.2.0/24]", "ports: [udp]"};
    String[] monitor = {"prefixes: [192.0.2.0/24]", "ports: [udp]", "grants: [monitor]"};
    String[] any = {"prefixes: [192.0.2.0/24]", "ports: [udp]", "grants: [monitor-any]"};
    assertEquals("403 filter-count", outcome(decide(home, none)));
    assertEquals("src,ttl", decide(home, monitor).filters().get(0).count());
    home.set(Header.FILTER_PREFIX, "0.0.0.0/0");
    assertEquals("403 filter-prefix", outcome(decide(home, monitor)));
    assertEquals("17 0.0.0.0/0", outcome(decide(home, any)));
    Ncm.Builder alone = setup().set(Header.FILTER_COUNT, "src");
    assertEquals("403 filter-count", outcome(decide(alone, none)));
  }

  @Test
  void connectionsAreTakenAsThePolicyNamesThem() throws Exception {
    String[] policy = {
      "prefixes: [192.0.2.0/24, '2001:db8::/32']",
      "take: [tcp/192.0.2.0/28/80:8080, 'tcp/2001:db8::/64/80:8080', tcp/192.0.2.64/32/81]"
    };
    Ncm.Builder web = setup().set(Header.TAKE, "80:8080");
    List<FlowFilter> filters = decide(web, policy).filters();
    assertEquals("6 192.0.2.0/28 80; 6 2001:db8::/64 80", outcome(decide(web, policy)));
    assertEquals(List.of(8080, 8080), filters.stream().map(FlowFilter::take).toList());
    assertEquals("80", filters.get(0).destinationPorts().toString());
    web.set(Header.FILTER_PREFIX, "192.0.2.10/32");
    assertEquals("6 192.0.2.10/32 80", outcome(decide(web, policy)));
    web.set(Header.FILTER_PREFIX, "192.0.2.0/24");
    assertEquals("403 take", outcome(decide(web, policy)));
    Ncm.Builder both = setup().set(Header.TAKE, "81").set(Header.FILTER_PROTO, "udp");
    assertEquals("403 filter-proto", outcome(decide(both, policy)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"80", "80:81", "81:8080", "443"})
  void otherPortsAreNotTaken(String take) throws Exception {
    String[] policy = {"prefixes: [192.0.2.0/24]", "take: [tcp/192.0.2.0/24/80:8080]"};
    assertEquals("403 take", outcome(decide(setup().set(Header.TAKE, take), policy)));
    assertEquals("403 take", outcome(decide(setup().set(Header.TAKE, take), policy[0])));
  }

  @Test
  void absentPrefixIsNeverAny() throws Exception {
    Ncm.Builder ncm = setup().set(Header.FILTER_PROTO, "udp");
    Decision decision = decide(ncm, "ports: [any]");
    assertEquals("403 filter-prefix", outcome(decision));
    assertEquals("alice has no proven prefixes on this node", decision.reason());
    assertEquals(
        "17 192.0.2.0/24", outcome(decide(ncm, "ports: [any]", "prefixes: [192.0.2.0/24]")));
  }

  @Test
  void revokedAndUnvouchedAreRefused() throws Exception {
    assertEquals("403 user", outcome(decide(setup(), "revoked: true")));
    assertEquals("403 user", outcome(decide(setup().set(Header.USER, "bob"))));
    NodePolicy bare = new Etc(dir.resolve("bare")).alice().load();
    Ncm ncm = NcmSigner.sign(setup().build(), KEY.getPrivate());
    Decision decision = bare.publisher("alice").orElseThrow().authorise(ncm, bare);
    assertEquals("this node has no trust anchor for its bundles", decision.reason());
  }

  @Test
  void paperFormNeedsLegacy() throws Exception {
    Ncm.Builder paper =
        Ncm.builder(Method.SETUP, "NetServ.apps.NetMonitor")
            .protocol(Ncm.LEGACY)
            .set(Header.TTL, 3600)
            .set(Header.USER, "alice")
            .set(Header.URL, "http://example.com/a.jar");
    assertEquals("400 digest", outcome(decide(paper)));
    assertTrue(decide(paper, "legacy: true").granted());
  }

  @Test
  void stepsExplain() throws Exception {
    List<DecisionStep> steps =
        decide(
                setup().set(Header.FILTER_PROTO, "udp").set(Header.FILTER_PORT, "5060"),
                "prefixes: [192.0.2.0/24]",
                "ports: [udp/5060]")
            .steps();
    assertTrue(
        steps.contains(new DecisionStep("may it filter udp/5060?", "yes", "ports: udp/5060")),
        steps.toString());
    assertTrue(
        steps.contains(
            new DecisionStep(
                "to which destinations?",
                "[192.0.2.0/24]",
                "no filter-prefix: the publisher's proven prefixes, never any")),
        steps.toString());
  }
}
