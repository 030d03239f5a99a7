// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.serval.ServiceId;
import org.netserv.serval.endpoint.Router;
import org.netserv.translator.core.Names;
import org.netserv.translator.core.Plan;

class TranslatorSettingsTest {
  private static final ServiceId SHOP = ServiceId.parse("00004001");
  private static final ServiceId MAIL = ServiceId.parse("0000400a");

  private static Plan plan(String... properties) {
    Map<String, String> all =
        new HashMap<>(
            Map.of(
                "address", "192.0.2.1:54326", "router", "192.0.2.9:54325", "to-serval", "80=00"));
    for (int i = 0; i < properties.length; i += 2) {
      all.put(properties[i], properties[i + 1]);
    }
    return TranslatorSettings.of(all);
  }

  @Test
  void bothDirections() {
    Plan plan =
        plan(
            "to-serval",
            "8080=00004001 198.51.100.7:8080=0000400A; [2001:db8::7]:25=0000400a",
            "from-serval",
            "00004001=192.0.2.10:80",
            "service-id",
            "77");
    assertEquals(List.of(25, 8080), plan.ports());
    assertEquals(SHOP, plan.service(new InetSocketAddress("198.51.100.8", 8080)));
    assertEquals(MAIL, plan.service(new InetSocketAddress("198.51.100.7", 8080)));
    assertEquals(MAIL, plan.service(new InetSocketAddress("2001:db8::7", 25)));
    assertNull(plan.service(new InetSocketAddress("2001:db8::8", 25)));
    assertNull(plan.service(new InetSocketAddress("198.51.100.7", 81)));
    assertEquals(Map.of(SHOP, new InetSocketAddress("192.0.2.10", 80)), plan.fromServal());
    assertEquals(ServiceId.parse("77"), plan.host().routerId());
    assertEquals(Router.PUBLISHED, plan().host().routerId());
  }

  @Test
  void namesLeadToServices() throws UnknownHostException {
    String names = "Shop.Example=198.51.100.7 shop.example=[2001:db8::8] six=[2001:db8::7]";
    String[] led = {"dns", "5353", "names", names, "to-serval", "198.51.100.7:80=00 80=01"};
    Names found = plan(led).names();
    assertEquals(5353, found.port());
    assertEquals(60, found.ttl());
    assertEquals(InetAddress.getByName("198.51.100.7"), found.find("shop.example.", false));
    assertEquals(InetAddress.getByName("2001:db8::8"), found.find("shop.example", true));
    assertEquals(InetAddress.getByName("2001:db8::7"), found.find("SIX", true));
    assertNull(found.find("six", false));
    assertTrue(found.has("six."));
    assertFalse(found.has("seven"));
    led[5] = "198.51.100.7:80=00";
    refused("names: ", led);
    assertEquals(Names.NONE.addresses(), plan().names().addresses());
  }

  private static void refused(String begin, String... properties) {
    IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, () -> plan(properties));
    assertTrue(thrown.getMessage().startsWith(begin), thrown.getMessage());
  }

  /** The module listens for TCP at the port of {@code dns} where the policy leads TCP there. */
  @ParameterizedTest
  @CsvSource({
    "'', true",
    "udp/192.0.2.1/32/53:5353, false",
    "udp/192.0.2.1/32/53:5353 tcp/192.0.2.1/32/53:5353, true",
    "tcp/192.0.2.1/32/5353:53, false",
    "tcp/2001:db8::1/128/5353, true",
    "tcp/192.0.2.1/32/5350-5353, true",
    "tcp/192.0.2.1/32/5350-5352, false"
  })
  void questionsOverTcpWhereThePolicySaysSo(String listen, boolean tcp) {
    String all = listen.isEmpty() ? "" : listen + " udp/192.0.2.1/32/54326";
    String[] led = {"netserv.listen", all, "dns", "5353", "names", "a=192.0.2.1"};
    assertEquals(tcp, plan(led).names().tcp());
    String[] both = Arrays.copyOf(led, led.length + 2);
    both[led.length] = "to-serval";
    both[led.length + 1] = "5353=00";
    if (tcp) {
      refused("dns: ", both);
    } else {
      assertFalse(plan(both).names().tcp());
    }
  }

  @Test
  void limitsHavePresets() {
    assertEquals(1024, plan().limits().connections());
    assertEquals(256, plan().limits().perSource());
    assertEquals(10_000, plan().limits().connect());
    assertEquals(300_000, plan().limits().idle());
    assertEquals(512 * 1024, plan().limits().buffer());
    assertEquals(5000, plan().limits().drain());
  }

  @ParameterizedTest
  @CsvSource({
    "to-serval, 80",
    "to-serval, =00",
    "to-serval, 0=00",
    "to-serval, 65536=00",
    "to-serval, 80=",
    "to-serval, 80=xy",
    "to-serval, host:80=00",
    "to-serval, 192.0.2.1:0=00",
    "to-serval, 80=00 80=01",
    "to-serval, ''",
    "from-serval, 00",
    "from-serval, 00=192.0.2.1",
    "from-serval, 00=www.example:80",
    "from-serval, z=192.0.2.1:80",
    "from-serval, 00=192.0.2.1:80 00=192.0.2.2:80",
    "address, ''",
    "address, 192.0.2.1",
    "address, 0.0.0.0:54326",
    "address, [::]:54326",
    "router, ''",
    "router, router.example:1",
    "router, 192.0.2.1:54326",
    "router, own:",
    "router, own:x",
    "service-id, x",
    "names, shop",
    "names, shop=www.example",
    "names, shop..example=192.0.2.1",
    "names, a=192.0.2.1 A=192.0.2.1",
    "dns, 53",
    "dns, 65536",
    "dns-ttl, x",
    "connections, 0",
    "connections-per-source, 65537",
    "connect-seconds, 61",
    "idle-seconds, 0",
    "buffer-kib, 15",
    "drain-seconds, 9"
  })
  void aWrongValueIsRefusedByTheNameOfItsProperty(String name, String value) {
    IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, () -> plan(name, value));
    assertTrue(thrown.getMessage().startsWith(name + ": "), thrown.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"to-serval, 256", "from-serval, 64"})
  void listsAreBounded(String name, int most) {
    StringBuilder full = new StringBuilder();
    for (int i = 1; i <= most; i++) {
      full.append(name.equals("to-serval") ? i + "=00 " : "%04x=192.0.2.1:1 ".formatted(i));
    }
    plan(name, full.toString());
    String more = full + (name.equals("to-serval") ? "9999=00" : "ffff=192.0.2.1:1");
    IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, () -> plan(name, more));
    assertTrue(thrown.getMessage().startsWith(name + ": "), thrown.getMessage());
  }

  /** A machine has an address beside loopback, or the name is refused. */
  @Test
  void aRouterInTheSameContainer() throws SocketException {
    boolean has =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .anyMatch(
                each ->
                    each instanceof Inet4Address
                        && !each.isLoopbackAddress()
                        && !each.isLinkLocalAddress());
    if (has) {
      InetSocketAddress router = plan("router", "own:54325").host().router();
      assertEquals(54325, router.getPort());
      assertTrue(!router.getAddress().isLoopbackAddress());
    } else {
      assertThrows(IllegalArgumentException.class, () -> plan("router", "own:54325"));
    }
  }

  /** The node's policy says which port inside belongs to the address. */
  @Test
  void theSocketIsThatOfThePolicy() {
    assertEquals(new InetSocketAddress("192.0.2.1", 54326), plan().host().bind());
    String listen =
        "tcp/192.0.2.1/32/54326:1 udp/192.0.2.0/24/54326:2 udp/192.0.2.1/32/54325"
            + " udp/192.0.2.1/32/54326:9000 udp/2001:db8::1/128/7";
    assertEquals(
        new InetSocketAddress("0.0.0.0", 9000), plan("netserv.listen", listen).host().bind());
    assertEquals(
        new InetSocketAddress("0.0.0.0", 54325),
        plan("netserv.listen", listen, "address", "192.0.2.1:54325").host().bind());
    assertEquals(
        new InetSocketAddress("::", 7),
        plan("netserv.listen", listen, "address", "[2001:db8:0::1]:7").host().bind());
    IllegalArgumentException thrown =
        assertThrows(
            IllegalArgumentException.class,
            () -> plan("netserv.listen", listen, "address", "192.0.2.2:54326"));
    assertTrue(thrown.getMessage().startsWith("address: the policy"), thrown.getMessage());
  }
}
