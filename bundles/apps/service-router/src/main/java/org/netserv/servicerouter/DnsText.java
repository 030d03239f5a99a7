// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.module.ModuleProperties;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.Target;
import org.netserv.servicerouter.core.Feeder;
import org.netserv.servicerouter.core.Outcome;
import org.netserv.servicerouter.core.Preference;
import org.netserv.servicerouter.core.Routing;
import org.netserv.servicerouter.dns.DnsPublisher;
import org.netserv.servicerouter.dns.DnsResolver;
import org.netserv.servicerouter.feed.Lookups;
import org.xbill.DNS.Name;
import org.xbill.DNS.TSIG;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/**
 * The properties of look-ups in the DNS and of updates, checked.
 *
 * @param lookups prefixes of serviceIDs that are looked up; none = no look-ups
 * @param most look-ups at once
 * @param servers of look-ups
 * @param zone null if the DNS is not used
 * @param type SVCB or TXT
 * @param publisher null if this router publishes nothing
 */
record DnsText(
    List<ServicePrefix> lookups,
    int most,
    List<InetSocketAddress> servers,
    String zone,
    int type,
    DnsPublisher.Choice publisher) {
  static final String LOOKUPS = "lookups";
  static final String SERVERS = "dns-servers";
  static final String ZONE = "dns-zone";
  static final String UPDATE = "dns-update";
  static final String KEY = "dns-key";

  private static final long MILLIS = 1000;
  private static final int SERVERS_MOST = 8;
  private static final int LOOKUPS_MOST = 64;
  private static final Pattern TSIG_KEY =
      Pattern.compile("(hmac-sha(?:256|384|512)):([^:]+):([A-Za-z0-9+/]+={0,2})");

  /**
   * Reads the properties.
   *
   * @param own the target of the records of this router
   */
  static DnsText of(ModuleProperties properties, ServiceGrant grant, Endpoint own) {
    List<ServicePrefix> lookups =
        RouterSettings.list(
            properties, LOOKUPS, LOOKUPS_MOST, text -> RuleText.prefix(LOOKUPS, text));
    lookups.forEach(prefix -> grant.require(LOOKUPS, prefix));
    List<InetSocketAddress> servers =
        RouterSettings.list(
            properties, SERVERS, SERVERS_MOST, text -> RuleText.socket(SERVERS, text));
    InetSocketAddress update = properties.address(UPDATE);
    String zone = properties.text(ZONE, "");
    if (zone.isEmpty() && (!lookups.isEmpty() || update != null)) {
      throw new IllegalArgumentException(ZONE + ": missing");
    }
    if (servers.isEmpty() && !lookups.isEmpty()) {
      throw new IllegalArgumentException(SERVERS + ": missing");
    }
    if (!zone.isEmpty()) {
      DnsPublisher.checkZone(ZONE, zone);
    }
    int type = properties.choice("dns-records", "svcb", "txt").equals("txt") ? Type.TXT : Type.SVCB;
    DnsPublisher.Choice publisher =
        new DnsPublisher.Choice(
            update,
            zone,
            key(properties),
            type,
            properties.number("dns-seconds", 300, 2, 86_400),
            properties.number("dns-ttl", 10, 0, 3600),
            own);
    int most = properties.number("lookups-at-once", 16, 1, 256);
    return new DnsText(lookups, most, servers, zone, type, update == null ? null : publisher);
  }

  /** Reads the key of updates, null if there is none. No message shows the property's value. */
  private static TSIG key(ModuleProperties properties) {
    String text = properties.text(KEY, "");
    Matcher parts = TSIG_KEY.matcher(text);
    if (text.isEmpty()) {
      return null;
    }
    if (!parts.matches()) {
      throw new IllegalArgumentException(KEY + ": not hmac-sha256|384|512:NAME:BASE64");
    }
    try {
      Name name = Name.fromString(parts.group(2), Name.root);
      return new TSIG(
          TSIG.algorithmToName(parts.group(1)), name, Base64.getDecoder().decode(parts.group(3)));
    } catch (TextParseException | IllegalArgumentException e) {
      throw new IllegalArgumentException(KEY + ": no name, or no base64", e);
    }
  }

  /** Returns the rules that hold packets until a look-up answers. */
  List<Rule> rules() {
    return lookups.stream()
        .map(
            prefix ->
                new Rule(
                    prefix,
                    RuleAction.DELAY,
                    Target.NONE,
                    new Rank(Preference.LOOKUP, 0),
                    0,
                    new Origin(Origin.Kind.DNS, LOOKUPS),
                    Rule.FOREVER))
        .toList();
  }

  /** Returns the feeders. */
  List<Feeder> feeders(Routing routing, Executor router, LongSupplier clock, Tally<Outcome> tally) {
    List<Feeder> made = new ArrayList<>();
    LongSupplier seconds = () -> System.currentTimeMillis() / MILLIS;
    if (!lookups.isEmpty()) {
      DnsResolver resolver = new DnsResolver(servers, zone, type, most, router, seconds);
      made.add(new Lookups(lookups, most, zone, resolver, routing, clock, tally));
    }
    if (publisher != null) {
      made.add(new DnsPublisher(publisher, router, seconds, tally));
    }
    return made;
  }
}
