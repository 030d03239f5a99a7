// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.route;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.coverage.count.Counters;
import org.netserv.origin.count.OriginCounter;
import org.netserv.origin.place.Place;
import org.netserv.origin.route.Decision.Reason;
import org.netserv.origin.users.Grouping;
import org.netserv.origin.users.Visits;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.Prefix;

/** The order of the rules by which a user gets an edge. */
class DirectorTest {
  private static final Place BERLIN = new Place(52.52, 13.405);
  private static final Place POTSDAM = new Place(52.4, 13.06);
  private static final Place HAMBURG = new Place(53.551, 9.993);

  private final Counters counters = new Counters(OriginCounter.values());
  private final Visits visits = new Visits(2, counters);
  private final Map<InetAddress, Place> places = new HashMap<>();
  private final Director director =
      new Director(new Grouping(24, 48), places::get, 100, visits, counters);
  private final Set<String> noted = new LinkedHashSet<>();
  private InetAddress user;

  @BeforeEach
  void user() throws BadValueException {
    user = Addresses.parse("198.51.100.7");
  }

  private static Edge edge(String id, Place place) {
    return new Edge(id, "http://" + id, place);
  }

  private void routes(Edge onPath, Edge... edges) {
    Map<Prefix, Edge> paths =
        onPath == null ? Map.of() : Map.of(new Grouping(24, 48).of(user), onPath);
    director.use(new Routes(paths, List.of(edges), Set.of()));
  }

  private String decide() {
    Decision decision = director.decide(user);
    visits.take((prefix, address) -> noted.add(prefix.toString()), noted::add);
    return (decision.edge() == null ? "-" : decision.edge().nodeId())
        + " "
        + decision.reason().text();
  }

  @Test
  void withoutANodeTheWebServerServesAndThePrefixIsNoted() {
    assertEquals("- none", decide());
    assertEquals(Set.of("198.51.100.0/24"), noted);
  }

  @Test
  void theNodeOnThePathServesWhenPlacesAreUnknown() {
    routes(edge("a", null), edge("a", null), edge("b", BERLIN));
    assertEquals("a on-path", decide());
    routes(edge("a", BERLIN), edge("a", BERLIN), edge("b", HAMBURG));
    assertEquals("a on-path", decide());
  }

  @Test
  void theNearestNodeServesAUserWithoutANodeOnThePath() {
    places.put(user, BERLIN);
    routes(null, edge("a", HAMBURG), edge("b", POTSDAM), edge("c", BERLIN));
    assertEquals("c near", decide());
    assertEquals(Set.of("c"), noted, "no SETUP toward the user");
    routes(null, edge("a", HAMBURG), edge("d", null));
    assertEquals("- none", decide());
  }

  @Test
  void aFarNodeOnThePathGivesWayToANearOneAndToNobodyElse() {
    places.put(user, BERLIN);
    Edge far = edge("a", HAMBURG);
    routes(far, far, edge("b", POTSDAM));
    assertEquals("b near", decide());
    routes(far, far);
    assertEquals("a on-path", decide());
    Edge near = edge("c", POTSDAM);
    routes(near, near, edge("d", BERLIN));
    assertEquals("c on-path", decide(), "the path counts before some kilometres");
  }

  @Test
  void nodesAndOddAddressesAreServedHere() throws BadValueException {
    Edge any = edge("a", null);
    director.use(
        new Routes(Map.of(new Grouping(24, 48).of(user), any), List.of(any), Set.of(user)));
    assertEquals("- node", decide());
    for (String odd : List.of("127.0.0.1", "0.0.0.0", "224.0.0.1", "::1", "fe80::1", "ff02::1")) {
      user = Addresses.parse(odd);
      assertEquals("- odd", decide());
    }
    assertEquals(Set.of(), noted);
  }

  @Test
  void theNotesOfAMomentAreBounded() throws BadValueException {
    for (int i = 1; i <= 5; i++) {
      director.decide(Addresses.parse("198.51." + i + ".1"));
      director.decide(Addresses.parse("198.51." + i + ".2"));
    }
    visits.take((prefix, address) -> noted.add(prefix.toString()), noted::add);
    assertEquals(2, noted.size());
    assertEquals(6, counters.get(OriginCounter.VISITS_FULL));
  }

  @Test
  void patternsOfUrlsAreFilledIn() throws BadValueException {
    InetAddress six = Addresses.parse("2001:db8::1");
    assertEquals("http://198.51.100.7", new EdgeUrl("http://{address}").of("n", user));
    assertEquals("http://[2001:db8::1]:81", new EdgeUrl("http://{address}:81").of("n", six));
    assertEquals(
        "https://198-51-100-7.n.example",
        new EdgeUrl("https://{dashed}.{node}.example").of("n", user));
    assertEquals(
        "https://2001-db8--1.example", new EdgeUrl("https://{dashed}.example").of("n", six));
  }

  @Test
  void anAddressBelongsToThePrefixOfItsFamily() throws BadValueException {
    Grouping grouping = new Grouping(20, 48);
    assertEquals("198.51.96.0/20", grouping.of(user).toString());
    assertEquals("2001:db8:1::/48", grouping.of(Addresses.parse("2001:db8:1:2:3::4")).toString());
    assertEquals(Reason.NONE, director.decide(user).reason());
  }
}
