// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter;

import java.net.InetSocketAddress;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.netserv.module.ModuleProperties;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.registration.RegistrationDesk;
import org.netserv.serval.table.HeldPackets;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.TableLimits;
import org.netserv.servicerouter.core.Plan;

/**
 * The module's properties, checked. The README lists them.
 *
 * @param local the address to bind
 * @param plan the router's choices
 * @param feeding the choices of its feeders
 */
record RouterSettings(InetSocketAddress local, Plan plan, Feeding feeding) {
  static final String LISTEN = "listen";
  static final String ADDRESS = "address";
  static final String SERVICE_ID = "service-id";
  static final String RULES = "rules";
  static final String REGISTRATIONS = "registrations";
  static final String SIGNED = "signed-registrations";
  static final String ROUTERS = "routers";
  static final String RETURNS = "returns";

  private static final int PORT = 54325;
  private static final int RULES_MOST = 1024;
  private static final int PREFIXES_MOST = 64;
  private static final int ROUTERS_MOST = 64;
  private static final int OF_A_PREFIX = 256;

  /** The published stack's serviceID of its router. */
  private static final String PUBLISHED_ROUTER = "00015b38";

  /**
   * Reads the properties.
   *
   * @throws IllegalArgumentException naming the property that is wrong
   */
  static RouterSettings of(Map<String, ?> all) {
    ModuleProperties properties = new ModuleProperties(all);
    ServiceGrant grant = ServiceGrant.of(properties);
    Reached reached = Reached.of(properties);
    InetSocketAddress local = properties.address(LISTEN);
    if (local == null) {
      local = new InetSocketAddress("::", reached.port() == 0 ? PORT : reached.port());
    }
    List<Rule> rules = list(properties, RULES, RULES_MOST, text -> RuleText.rule(RULES, text));
    rules.forEach(rule -> grant.require(RULES, rule.prefix()));
    Plan.Registered registered = registered(properties, grant);
    RegistrationDesk.Settings signed = signed(properties, grant);
    List<Endpoint> addresses = addresses(properties, reached, local);
    List<ServicePrefix> hosts = both(registered.prefixes(), signed.prefixes());
    Feeding feeding = Feeding.of(properties, grant, hosts, addresses.get(0));
    return new RouterSettings(
        local,
        new Plan(
            addresses,
            serviceId(properties),
            both(rules, feeding.rules()),
            registered,
            signed,
            routers(properties, feeding),
            new TableLimits(
                properties.number("rules-most", 1 << 16, RULES_MOST + 1, 1 << 20),
                properties.number("rules-per-host", 64, 1, 1 << 16),
                perFeeder(properties),
                OF_A_PREFIX),
            waiting(properties),
            properties.onOff(RETURNS, true)),
        feeding);
  }

  /** Returns the number of rules that a feeder may have. */
  static int perFeeder(ModuleProperties properties) {
    return properties.number("rules-per-feeder", 4096, 1, 1 << 20);
  }

  private static <T> List<T> both(List<T> some, List<T> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }

  /** Returns the routers whose lists of hops count. Parents and neighbours do. */
  private static Set<Endpoint> routers(ModuleProperties properties, Feeding feeding) {
    Set<Endpoint> routers =
        new HashSet<>(
            list(properties, ROUTERS, ROUTERS_MOST, text -> RuleText.endpoint(ROUTERS, text)));
    routers.addAll(feeding.routers());
    return Set.copyOf(routers);
  }

  /** Reads the elements of a list, of which there are at most so many. */
  static <T> List<T> list(
      ModuleProperties properties, String name, int most, Function<String, T> reader) {
    List<String> texts = properties.list(name, "");
    if (texts.size() > most) {
      throw new IllegalArgumentException(
          name + ": " + texts.size() + " entries, and at most " + most + " are read");
    }
    return texts.stream().map(reader).toList();
  }

  private static List<Endpoint> addresses(
      ModuleProperties properties, Reached reached, InetSocketAddress local) {
    List<Endpoint> named = list(properties, ADDRESS, 2, text -> RuleText.endpoint(ADDRESS, text));
    if (named.stream().map(Endpoint::isIpv4).distinct().count() < named.size()) {
      throw new IllegalArgumentException(ADDRESS + ": two addresses of one family");
    }
    List<Endpoint> addresses = new ArrayList<>(named.isEmpty() ? reached.addresses() : named);
    if (addresses.isEmpty() && !local.getAddress().isAnyLocalAddress()) {
      addresses.add(RuleText.endpoint(local));
    }
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException(
          ADDRESS + ": neither given, nor does the policy forward a UDP port to the module");
    }
    return List.copyOf(addresses);
  }

  private static ServiceId serviceId(ModuleProperties properties) {
    String text = properties.text(SERVICE_ID, PUBLISHED_ROUTER);
    ServiceId id = text.isEmpty() ? null : ServiceId.parse(text);
    if (id == null) {
      throw new IllegalArgumentException(SERVICE_ID + ": not 1 to 64 hexadecimal digits: " + text);
    }
    return id;
  }

  private static Plan.Registered registered(ModuleProperties properties, ServiceGrant grant) {
    List<ServicePrefix> prefixes =
        list(
            properties, REGISTRATIONS, PREFIXES_MOST, text -> RuleText.prefix(REGISTRATIONS, text));
    prefixes.forEach(prefix -> grant.require(REGISTRATIONS, prefix));
    return new Plan.Registered(
        prefixes,
        properties.number("registered-priority", 100, 0, 1_000_000),
        1000L * properties.number("registered-seconds", 50, 1, 3600));
  }

  private static RegistrationDesk.Settings signed(ModuleProperties properties, ServiceGrant grant) {
    List<ServicePrefix> prefixes =
        list(properties, SIGNED, PREFIXES_MOST, text -> RuleText.prefix(SIGNED, text));
    prefixes.forEach(prefix -> grant.require(SIGNED, prefix));
    Map<ServicePrefix, PublicKey> owners = new HashMap<>();
    for (OwnerText owner : list(properties, OwnerText.PROPERTY, PREFIXES_MOST, OwnerText::parse)) {
      owners.put(owner.prefix(), owner.key());
    }
    return new RegistrationDesk.Settings(
        prefixes,
        owners,
        properties.number("signed-most", 1 << 14, 1, 1 << 20),
        properties.number("signatures-per-second", 500, 1, 100_000),
        properties.number("registered-seconds", 50, 1, 3600));
  }

  private static HeldPackets.Limits waiting(ModuleProperties properties) {
    return new HeldPackets.Limits(
        properties.number("held", 1024, 0, 1 << 16),
        properties.number("held-per-service", 64, 0, 1 << 16),
        properties.number("held-per-sender", 64, 0, 1 << 16),
        1000L * properties.number("held-seconds", 5, 1, 60));
  }
}
