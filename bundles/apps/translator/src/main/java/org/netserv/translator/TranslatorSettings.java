// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.netserv.module.ModuleProperties;
import org.netserv.serval.ServiceId;
import org.netserv.serval.endpoint.Router;
import org.netserv.translator.core.Limits;
import org.netserv.translator.core.Names;
import org.netserv.translator.core.Plan;

/** The module's properties, checked. The README lists them. */
final class TranslatorSettings {
  static final String TO_SERVAL = "to-serval";
  static final String FROM_SERVAL = "from-serval";
  static final String ADDRESS = "address";
  static final String ROUTER = "router";
  static final String SERVICE_ID = "service-id";

  /** The property by which the node tells the elements of the policy's {@code listen}. */
  static final String LISTEN = "netserv.listen";

  private static final String NAMES = "names";
  private static final String DNS = "dns";
  private static final Pattern NAME = Pattern.compile("[a-z0-9_-]{1,63}(\\.[a-z0-9_-]{1,63})*");
  private static final int NAME_LONGEST = 253;
  private static final int NAMES_MOST = 1024;
  private static final String OWN = "own:";
  private static final int DESTINATIONS_MOST = 256;
  private static final int SERVICES_MOST = 64;
  private static final int MILLIS = 1000;
  private static final int KIBI = 1024;

  private final ModuleProperties properties;

  private TranslatorSettings(ModuleProperties properties) {
    this.properties = properties;
  }

  /**
   * Reads the properties.
   *
   * @throws IllegalArgumentException naming the property that is wrong
   */
  static Plan of(Map<String, ?> all) {
    return new TranslatorSettings(new ModuleProperties(all)).plan();
  }

  private Plan plan() {
    Map<Plan.Destination, ServiceId> toServal = new HashMap<>();
    pairs(
        TO_SERVAL,
        DESTINATIONS_MOST,
        (from, to) -> put(TO_SERVAL, toServal, destination(from), serviceId(TO_SERVAL, to)));
    Map<ServiceId, InetSocketAddress> fromServal = new HashMap<>();
    pairs(
        FROM_SERVAL,
        SERVICES_MOST,
        (from, to) ->
            put(FROM_SERVAL, fromServal, serviceId(FROM_SERVAL, from), address(FROM_SERVAL, to)));
    if (toServal.isEmpty() && fromServal.isEmpty()) {
      throw new IllegalArgumentException(TO_SERVAL + ": neither this nor " + FROM_SERVAL);
    }
    return new Plan(host(), toServal, fromServal, names(toServal.keySet()), limits());
  }

  private Names names(Set<Plan.Destination> destinations) {
    Map<Names.Key, InetAddress> addresses = new HashMap<>();
    pairs(
        NAMES,
        NAMES_MOST,
        (name, text) -> {
          InetAddress address = led(text, destinations);
          put(NAMES, addresses, Names.Key.of(name(name), address), address);
        });
    int port = properties.number(DNS, 0, 0, 0xffff);
    if (addresses.isEmpty() != (port == 0)) {
      throw new IllegalArgumentException(DNS + ": " + NAMES + " and " + DNS + " go together");
    }
    return new Names(
        port,
        asksByTcp(port, destinations),
        addresses,
        properties.number("dns-ttl", 60, 0, 86_400));
  }

  /** Returns true if the policy leads TCP to the port, too. A module without policy may listen. */
  private boolean asksByTcp(int port, Set<Plan.Destination> destinations) {
    List<String> elements = properties.list(LISTEN, "");
    boolean may =
        port != 0
            && (elements.isEmpty()
                || elements.stream()
                    .anyMatch(each -> each.startsWith("tcp/") && leadsTo(each, port)));
    if (may && destinations.stream().anyMatch(each -> each.port() == port)) {
      throw new IllegalArgumentException(DNS + ": " + TO_SERVAL + " has TCP port " + port);
    }
    return may;
  }

  /**
   * Tells whether the module's own ports of an element, PORT, FIRST-LAST or PORT:OWN, have a port.
   */
  private static boolean leadsTo(String element, int port) {
    int before = Math.max(element.lastIndexOf('/'), element.lastIndexOf(':'));
    String[] ends = element.substring(before + 1).split("-", 2);
    return ModuleProperties.number(LISTEN, ends[0], 1, 0xffff) <= port
        && ModuleProperties.number(LISTEN, ends[ends.length - 1], 1, 0xffff) >= port;
  }

  private static String name(String text) {
    String name = text.toLowerCase(Locale.ROOT);
    if (name.length() > NAME_LONGEST || !NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(NAMES + ": not a name: " + text);
    }
    return name;
  }

  /** Reads an address whose connections lead to a service. */
  private static InetAddress led(String text, Set<Plan.Destination> destinations) {
    InetAddress address = address(NAMES, text + ":1").getAddress();
    for (Plan.Destination destination : destinations) {
      if (destination.address() == null || destination.address().equals(address)) {
        return address;
      }
    }
    throw new IllegalArgumentException(NAMES + ": " + TO_SERVAL + " has no connections to " + text);
  }

  /** Hands over the two halves of each element {@code LEFT=RIGHT}. */
  private void pairs(String name, int most, BiConsumer<String, String> taker) {
    List<String> texts = properties.list(name, "");
    if (texts.size() > most) {
      throw new IllegalArgumentException(
          name + ": " + texts.size() + " entries, and at most " + most + " are read");
    }
    for (String text : texts) {
      int equals = text.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException(name + ": not of two parts with = between: " + text);
      }
      taker.accept(text.substring(0, equals), text.substring(equals + 1));
    }
  }

  private static <K, V> void put(String name, Map<K, V> map, K key, V value) {
    if (map.put(key, value) != null) {
      throw new IllegalArgumentException(name + ": twice: " + key);
    }
  }

  /** Reads {@code PORT} or {@code ADDRESS:PORT}. */
  private static Plan.Destination destination(String text) {
    if (text.indexOf(':') < 0) {
      return new Plan.Destination(null, ModuleProperties.number(TO_SERVAL, text, 1, 0xffff));
    }
    InetSocketAddress address = address(TO_SERVAL, text);
    return new Plan.Destination(address.getAddress(), address.getPort());
  }

  private static InetSocketAddress address(String name, String text) {
    InetSocketAddress address = new ModuleProperties(Map.of(name, text)).address(name);
    if (address == null) {
      throw new IllegalArgumentException(name + ": not ADDRESS:PORT or [IPv6]:PORT: " + text);
    }
    return address;
  }

  private static ServiceId serviceId(String name, String text) {
    ServiceId id = text.isEmpty() ? null : ServiceId.parse(text);
    if (id == null) {
      throw new IllegalArgumentException(name + ": not 1 to 64 hexadecimal digits: " + text);
    }
    return id;
  }

  private Plan.Host host() {
    InetSocketAddress address = required(ADDRESS);
    InetSocketAddress router = router(address.getAddress());
    if (address.getAddress().isAnyLocalAddress()) {
      throw new IllegalArgumentException(ADDRESS + ": others cannot reach it: " + address);
    }
    if (router.equals(address)) {
      throw new IllegalArgumentException(ROUTER + ": the same as " + ADDRESS);
    }
    String id = properties.text(SERVICE_ID, "");
    return new Plan.Host(
        bind(address),
        address,
        router,
        id.isEmpty() ? Router.PUBLISHED : serviceId(SERVICE_ID, id));
  }

  /** Reads the router's address, or {@code own:PORT} for a router in the same container. */
  private InetSocketAddress router(InetAddress family) {
    String text = properties.text(ROUTER, "");
    if (!text.startsWith(OWN)) {
      return required(ROUTER);
    }
    int port = ModuleProperties.number(ROUTER, text.substring(OWN.length()), 1, 0xffff);
    try {
      return NetworkInterface.networkInterfaces()
          .flatMap(NetworkInterface::inetAddresses)
          .filter(each -> each.getClass().equals(family.getClass()))
          .filter(each -> !each.isLoopbackAddress() && !each.isLinkLocalAddress())
          .map(each -> new InetSocketAddress(each, port))
          .findFirst()
          .orElseThrow(
              () -> new IllegalArgumentException(ROUTER + ": no own address of that family"));
    } catch (SocketException e) {
      throw new IllegalArgumentException(ROUTER + ": no own address: " + e, e);
    }
  }

  private InetSocketAddress required(String name) {
    InetSocketAddress address = properties.address(name);
    if (address == null) {
      throw new IllegalArgumentException(name + ": not given");
    }
    return address;
  }

  /**
   * Returns the address to bind: the port inside that the policy has for an address of the node. A
   * module that the node tells no ports binds the address itself.
   */
  private InetSocketAddress bind(InetSocketAddress address) {
    Set<String> elements = Set.copyOf(properties.list(LISTEN, ""));
    if (elements.isEmpty()) {
      return address;
    }
    boolean six = address.getAddress().getAddress().length > Integer.BYTES;
    String host = address.getAddress().getHostAddress();
    for (String element : elements) {
      String[] ports = element.substring(element.lastIndexOf('/') + 1).split(":", 2);
      if (element.startsWith("udp/")
          && ports[0].equals(Integer.toString(address.getPort()))
          && isOne(element, six, host)) {
        int inside = ModuleProperties.number(LISTEN, ports[ports.length - 1], 1, 0xffff);
        return new InetSocketAddress(six ? "::" : "0.0.0.0", inside);
      }
    }
    throw new IllegalArgumentException(
        ADDRESS + ": the policy (" + LISTEN + ") does not lead udp " + address + " to the module");
  }

  /** Tells whether an element is of this address alone. */
  private static boolean isOne(String element, boolean six, String host) {
    String[] parts = element.split("/", -1);
    return parts.length == 4
        && parts[2].equals(six ? "128" : "32")
        && address(LISTEN, (six ? "[" + parts[1] + "]" : parts[1]) + ":1")
            .getAddress()
            .getHostAddress()
            .equals(host);
  }

  private Limits limits() {
    return new Limits(
        properties.number("connections", 1024, 1, 1 << 16),
        properties.number("connections-per-source", 256, 1, 1 << 16),
        MILLIS * properties.number("connect-seconds", 10, 1, 60),
        MILLIS * properties.number("idle-seconds", 300, 1, 86_400),
        KIBI * properties.number("buffer-kib", 512, 16, 1 << 14),
        MILLIS * properties.number("drain-seconds", 5, 0, 8));
  }
}
