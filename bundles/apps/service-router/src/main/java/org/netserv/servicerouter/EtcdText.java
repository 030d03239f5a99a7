// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLSocketFactory;
import org.netserv.module.ModuleProperties;
import org.netserv.packet.Tally;
import org.netserv.serval.Endpoint;
import org.netserv.serval.table.Rule;
import org.netserv.servicerouter.core.Feeder;
import org.netserv.servicerouter.core.Outcome;
import org.netserv.servicerouter.core.Routing;
import org.netserv.servicerouter.etcd.EtcdFeeder;
import org.netserv.servicerouter.etcd.EtcdKeys;
import org.netserv.servicerouter.etcd.EtcdServers;
import org.netserv.servicerouter.feed.StoreMirror;

/**
 * The properties of a store, checked.
 *
 * @param choice null if there is no store
 * @param most rules of the store
 */
record EtcdText(EtcdFeeder.Choice choice, ServiceGrant grant, int most) {
  static final String SERVERS = "etcd";
  static final String PREFIX = "etcd-prefix";
  static final String KEYS = "etcd-keys";
  static final String PASSWORD = "etcd-password";

  private static final long MILLIS = 1000;
  private static final int SERVERS_MOST = 8;

  /**
   * Reads the properties.
   *
   * @param own the target of the entries of this router
   */
  static EtcdText of(ModuleProperties properties, ServiceGrant grant, Endpoint own) {
    List<InetSocketAddress> servers =
        RouterSettings.list(
            properties, SERVERS, SERVERS_MOST, text -> RuleText.socket(SERVERS, text));
    String prefix = properties.text(PREFIX, "/serval/");
    if (!prefix.endsWith("/") || !prefix.matches("[!-~]{1,128}")) {
      throw new IllegalArgumentException(PREFIX + ": no slash at the end, or no plain text");
    }
    String text = RuleText.text(own);
    int seconds = properties.number("etcd-seconds", 15, 3, 3600);
    EtcdServers at = new EtcdServers(servers, keys(properties));
    return new EtcdText(
        servers.isEmpty() ? null : new EtcdFeeder.Choice(at, prefix, text, text, own, seconds),
        grant,
        RouterSettings.perFeeder(properties));
  }

  /** Reads the keys for TLS, null if there are none. No message shows the properties' values. */
  private static SSLSocketFactory keys(ModuleProperties properties) {
    String text = properties.text(KEYS, "");
    try {
      return text.isEmpty() ? null : EtcdKeys.of(text, properties.text(PASSWORD, ""));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(KEYS + ": " + e.getMessage(), e);
    }
  }

  /** Returns the rule of an entry. */
  private Rule rule(StoreMirror.Entry entry) {
    String prefix = entry.key().substring(0, Math.max(0, entry.key().lastIndexOf('/')));
    Rule rule = RuleText.rule(SERVERS, prefix + "=" + entry.value());
    grant.require(SERVERS, rule.prefix());
    return rule;
  }

  /** Returns the feeder, none if there is no store. */
  List<Feeder> feeders(Routing routing, Executor router, LongSupplier clock, Tally<Outcome> tally) {
    if (choice == null) {
      return List.of();
    }
    StoreMirror mirror =
        new StoreMirror(this::rule, choice.name(), most, MILLIS * choice.seconds(), routing, tally);
    return List.of(new EtcdFeeder(choice, mirror, router, clock, tally));
  }
}
