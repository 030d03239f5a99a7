// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn;

import io.netty.handler.ipfilter.IpFilterRuleType;
import io.netty.handler.ipfilter.IpSubnetFilterRule;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.netserv.activecdn.core.EdgeSettings;
import org.netserv.activecdn.core.SignedUrls;
import org.netserv.activecdn.net.HttpsKeys;
import org.netserv.activecdn.net.OriginSettings;
import org.netserv.activecdn.net.Server;
import org.netserv.activecdn.net.ServerSettings;
import org.netserv.http.HeadLimits;
import org.netserv.http.cache.CacheSettings;
import org.netserv.http.cache.SliceGrid;
import org.netserv.module.ModuleProperties;

/** The module's properties, checked. The README lists them. */
final class CdnSettings {
  private static final String ORIGIN = "origin";
  private static final String SIGNED_PREFIXES = "signed-prefixes";
  private static final String URL_KEYS = "url-keys";
  private static final String TLS_KEYS = "tls-keys";
  private static final String TLS_PASSWORD = "tls-password";
  private static final String ADMIN_SECRET = "admin-secret";
  private static final String BALANCERS = "proxy-protocol-from";
  private static final String TRANSPARENT = "transparent";
  private static final String ACCESS_LOG = "access-log-kib";
  private static final int LEAST_SECRET = 16;
  private static final int YEAR = 31_536_000;
  private static final long KIBI = 1024;
  private static final long MILLIS = 1000;
  private static final long MEBI = 1 << 20;

  /** Name of the directory of responses in the publisher's data directory. */
  private static final String RESPONSES = "activecdn-responses";

  private final ModuleProperties properties;
  private final Path data;

  /**
   * Reads properties.
   *
   * @param properties as the framework hands them over
   * @param data the publisher's data directory
   */
  CdnSettings(Map<String, ?> properties, Path data) {
    this.properties = new ModuleProperties(properties);
    this.data = data;
  }

  /**
   * Makes the plan of a server.
   *
   * @param heap the most bytes of the heap, of which the store has a quarter by default
   * @param instance a word that no other start of the module has, for Via
   * @throws IllegalArgumentException naming the property that is wrong
   */
  Server.Plan plan(long heap, String instance) {
    int most = (int) Math.min(1 << 20, heap / KIBI * 3 / 4);
    long store = KIBI * properties.number("store-kib", Math.max(1, most / 3), 1, most);
    long disk = MEBI * properties.number("disk-mib", 0, 0, 1 << 20);
    Server.Room room = new Server.Room(store, disk, data.resolve(RESPONSES));
    return new Server.Plan(
        listening(), origin(), room, edge(store, instance, orders(heap)), server(), pool());
  }

  private Server.Listening listening() {
    HttpsKeys keys = keys();
    return new Server.Listening(
        properties.number("port", 80, 0, 0xffff),
        properties.number("tls-port", 443, 0, 0xffff),
        keys);
  }

  private HttpsKeys keys() {
    String text = properties.text(TLS_KEYS, null);
    try {
      return text == null ? null : HttpsKeys.of(text, properties.text(TLS_PASSWORD, ""));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(TLS_KEYS + ": " + e.getMessage(), e);
    }
  }

  private InetSocketAddress origin() {
    String text = properties.text(ORIGIN, null);
    if (text == null) {
      throw new IllegalArgumentException(ORIGIN + ": not given: HOST:PORT");
    }
    int colon = text.lastIndexOf(':');
    String host = colon < 1 ? "" : text.substring(0, colon).replaceAll("^\\[(.*)]$", "$1");
    int port = ModuleProperties.number(ORIGIN, text.substring(colon + 1), 1, 0xffff);
    if (!host.matches("[0-9A-Za-z.:_-]+")) {
      throw new IllegalArgumentException(ORIGIN + ": not HOST:PORT or [IPv6]:PORT: " + text);
    }
    try {
      return new InetSocketAddress(InetAddress.getByName(host), port);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(ORIGIN + ": no address for " + host, e);
    }
  }

  private EdgeSettings edge(long store, String instance, EdgeSettings.Orders orders) {
    String name = properties.text("name", "activecdn");
    if (!name.matches("[A-Za-z][A-Za-z0-9.-]{0,62}")) {
      throw new IllegalArgumentException("name: not letters, digits, dots and hyphens: " + name);
    }
    int most = (int) Math.min(Integer.MAX_VALUE, store / KIBI);
    long entry = KIBI * properties.number("entry-kib", Math.max(1, most / 4), 1, most);
    int slice = properties.number("slice-kib", 0, 0, (int) Math.min(1 << 20, entry / KIBI));
    return new EdgeSettings(
        cache(),
        HeadLimits.USUAL,
        name,
        name + "-" + instance,
        hosts(),
        entry,
        slice == 0 ? null : new SliceGrid((int) (KIBI * slice)),
        signed(),
        orders);
  }

  private EdgeSettings.Orders orders(long heap) {
    String secret = secret();
    int log = properties.number(ACCESS_LOG, 0, 0, (int) Math.min(1 << 16, heap / KIBI / 8));
    if (log > 0 && secret.isEmpty()) {
      throw new IllegalArgumentException(
          ACCESS_LOG + ": nobody could read the log without " + ADMIN_SECRET);
    }
    return new EdgeSettings.Orders(path(), secret, KIBI * log);
  }

  private CacheSettings cache() {
    CacheSettings usual = CacheSettings.EDGE;
    return new CacheSettings(
        usual.targets(),
        properties.number("heuristic-percent", usual.heuristicPercent(), 0, 100),
        properties.number("heuristic-seconds", (int) usual.heuristicSeconds(), 0, YEAR),
        properties.number("negative-seconds", 0, 0, YEAR),
        properties.onOff("client-directives", true),
        properties.number("disconnected-seconds", 0, 0, YEAR),
        usual.varyFields(),
        usual.varyBytes());
  }

  private Set<String> hosts() {
    Set<String> hosts = new LinkedHashSet<>();
    for (String host : properties.list("hosts", "")) {
      if (!host.matches("[0-9A-Za-z.:\\[\\]_-]+")) {
        throw new IllegalArgumentException("hosts: not the name of a host: " + host);
      }
      hosts.add(host.toLowerCase(Locale.ROOT));
    }
    if (hosts.isEmpty() && properties.onOff(TRANSPARENT, false)) {
      throw new IllegalArgumentException(
          TRANSPARENT + ": needs hosts: requests for other servers of the prefixes come, too");
    }
    return hosts;
  }

  private SignedUrls signed() {
    List<String> prefixes = properties.list(SIGNED_PREFIXES, "");
    Map<String, byte[]> keys = new HashMap<>();
    for (String each : properties.list(URL_KEYS, "")) {
      if (!each.matches("[A-Za-z0-9_-]{1,32}:([0-9a-fA-F]{2}){16,64}")) {
        throw new IllegalArgumentException(
            URL_KEYS + ": not NAME:KEY with a key of 32 to 128 hexadecimal digits");
      }
      int colon = each.indexOf(':');
      keys.put(each.substring(0, colon), HexFormat.of().parseHex(each.substring(colon + 1)));
    }
    for (String prefix : prefixes) {
      if (!prefix.matches("/[!-~]*") || keys.isEmpty()) {
        throw new IllegalArgumentException(
            SIGNED_PREFIXES
                + ": "
                + prefix
                + (keys.isEmpty() ? " needs " + URL_KEYS : " is no path"));
      }
    }
    return new SignedUrls(prefixes, keys);
  }

  private String path() {
    String path = properties.text("admin-path", "/.activecdn");
    if (!path.matches("/[A-Za-z0-9._/-]*[A-Za-z0-9]")) {
      throw new IllegalArgumentException("admin-path: not a path: " + path);
    }
    return path;
  }

  private String secret() {
    String secret = properties.text(ADMIN_SECRET, "");
    if (!secret.isEmpty() && (secret.length() < LEAST_SECRET || !secret.matches("[!-~]+"))) {
      throw new IllegalArgumentException(
          ADMIN_SECRET + ": not " + LEAST_SECRET + " visible characters or more");
    }
    return secret;
  }

  private ServerSettings server() {
    int connections = properties.number("connections", 4096, 1, 1 << 16);
    return new ServerSettings(
        MILLIS * properties.number("head-seconds", 10, 1, 3600),
        MILLIS * properties.number("idle-seconds", 60, 1, 3600),
        MILLIS * properties.number("stall-seconds", 30, 1, 3600),
        connections,
        properties.number("connections-per-address", Math.max(1, connections / 4), 1, connections),
        properties.list(BALANCERS, "").stream().map(CdnSettings::balancer).toList());
  }

  private static IpSubnetFilterRule balancer(String prefix) {
    int slash = prefix.indexOf('/');
    String address = slash < 0 ? prefix : prefix.substring(0, slash);
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
    if (bytes == null) {
      throw new IllegalArgumentException(BALANCERS + ": not an address or prefix: " + prefix);
    }
    int most = bytes.length * Byte.SIZE;
    int length =
        slash < 0 ? most : ModuleProperties.number(BALANCERS, prefix.substring(slash + 1), 0, most);
    return new IpSubnetFilterRule(address, length, IpFilterRuleType.ACCEPT);
  }

  private OriginSettings pool() {
    int connections = properties.number("origin-connections", 64, 1, 1 << 14);
    return new OriginSettings(
        HeadLimits.USUAL,
        MILLIS * properties.number("origin-connect-seconds", 5, 1, 3600),
        MILLIS * properties.number("origin-head-seconds", 30, 1, 3600),
        MILLIS * properties.number("origin-stall-seconds", 30, 1, 3600),
        MILLIS * properties.number("origin-idle-seconds", 30, 1, 3600),
        connections,
        properties.number("origin-ready", Math.min(2, connections), 0, connections),
        properties.number("origin-queue", 1024, 0, 1 << 16));
  }
}
