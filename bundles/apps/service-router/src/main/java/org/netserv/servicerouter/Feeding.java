// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.netserv.module.ModuleProperties;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.Router;
import org.netserv.serval.registration.SigningKey;
import org.netserv.serval.table.Aggregation;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.Target;
import org.netserv.servicerouter.core.Feeder;
import org.netserv.servicerouter.core.Feeders;
import org.netserv.servicerouter.core.Outcome;
import org.netserv.servicerouter.core.Preference;
import org.netserv.servicerouter.feed.Flood;
import org.netserv.servicerouter.feed.Parents;

/**
 * The properties of feeders, checked.
 *
 * @param choice the prefixes that the router announces
 * @param parents at which the router registers
 * @param dns look-ups and updates
 * @param etcd a store that routers share
 * @param flood null if nothing is flooded
 * @param rules that lead to the parents, and that hold packets for look-ups
 */
record Feeding(
    Aggregation.Choice choice,
    List<Router> parents,
    DnsText dns,
    EtcdText etcd,
    Flood.Choice flood,
    List<Rule> rules) {
  static final String PARENTS = "parents";
  static final String ANNOUNCE = "announce";
  static final String AGGREGATES = "aggregates";

  static final String NEIGHBOURS = "neighbours";

  private static final int PARENTS_MOST = 8;
  private static final int NEIGHBOURS_MOST = 16;
  private static final int PREFIXES_MOST = 64;

  /**
   * Reads the properties.
   *
   * @param registered the prefixes in which hosts register, which are announced if the property
   *     names no others
   * @param own the address by which others reach the router
   */
  static Feeding of(
      ModuleProperties properties,
      ServiceGrant grant,
      List<ServicePrefix> registered,
      Endpoint own) {
    List<ServicePrefix> within = prefixes(properties, grant, ANNOUNCE);
    Aggregation.Choice choice =
        new Aggregation.Choice(
            within.isEmpty() ? registered : within,
            prefixes(properties, grant, AGGREGATES),
            properties.number("announce-most", 64, 1, 1024));
    SigningKey key = KeyText.of(properties);
    List<Router> parents = new ArrayList<>();
    List<Rule> rules = new ArrayList<>();
    for (Endpoint parent :
        RouterSettings.list(
            properties, PARENTS, PARENTS_MOST, text -> RuleText.endpoint(PARENTS, text))) {
      parents.add(new Router(Router.PUBLISHED, parent, key));
      grant.prefixes().forEach(prefix -> rules.add(rule(prefix, parent)));
    }
    DnsText dns = DnsText.of(properties, grant, own);
    rules.addAll(dns.rules());
    EtcdText etcd = EtcdText.of(properties, grant, own);
    Flood.Choice flood = flood(properties, grant, own);
    return new Feeding(choice, List.copyOf(parents), dns, etcd, flood, List.copyOf(rules));
  }

  private static Flood.Choice flood(ModuleProperties properties, ServiceGrant grant, Endpoint own) {
    List<Endpoint> neighbours =
        RouterSettings.list(
            properties, NEIGHBOURS, NEIGHBOURS_MOST, text -> RuleText.endpoint(NEIGHBOURS, text));
    int hops = properties.number("flood-hops", 8, 1, 32);
    int seconds = properties.number("flood-seconds", 5, 1, 600);
    return neighbours.isEmpty()
        ? null
        : new Flood.Choice(
            neighbours,
            Router.PUBLISHED,
            own,
            hops,
            seconds,
            RouterSettings.perFeeder(properties),
            grant::covers);
  }

  /** Returns the other routers whose lists of hops count because of these properties. */
  List<Endpoint> routers() {
    List<Endpoint> routers = new ArrayList<>(flood == null ? List.of() : flood.neighbours());
    parents.forEach(parent -> routers.add(parent.address()));
    return routers;
  }

  private static List<ServicePrefix> prefixes(
      ModuleProperties properties, ServiceGrant grant, String name) {
    List<ServicePrefix> prefixes =
        RouterSettings.list(properties, name, PREFIXES_MOST, text -> RuleText.prefix(name, text));
    prefixes.forEach(prefix -> grant.require(name, prefix));
    return prefixes;
  }

  /** Returns the rule by which a granted prefix goes to a parent if nothing else is known. */
  private static Rule rule(ServicePrefix prefix, Endpoint parent) {
    return new Rule(
        prefix,
        RuleAction.FORWARD,
        Target.address(parent),
        new Rank(Preference.PARENT, 0),
        1,
        new Origin(Origin.Kind.PARENT, PARENTS),
        Rule.FOREVER);
  }

  /**
   * Returns the feeders of a router.
   *
   * @param random cannot be guessed
   * @param clock of the router, in milliseconds
   */
  Feeders feeders(RandomGenerator random, LongSupplier clock, Tally<Outcome> tally) {
    return new Feeders(
        choice,
        (routing, router) -> {
          List<Feeder> made = new ArrayList<>();
          if (!parents.isEmpty()) {
            made.add(new Parents(parents, routing, random, tally));
          }
          made.addAll(dns.feeders(routing, router, clock, tally));
          made.addAll(etcd.feeders(routing, router, clock, tally));
          if (flood != null) {
            made.add(new Flood(flood, System.currentTimeMillis(), routing, tally));
          }
          return made;
        });
  }
}
