// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.netserv.coverage.count.Counters;
import org.netserv.provider.agents.Agent;
import org.netserv.provider.base.Counter;
import org.netserv.provider.kamailio.Rpc;
import org.netserv.provider.kamailio.RpcAnswer;
import org.netserv.values.Addresses;

/**
 * Takes the contacts of silent agents out of Kamailio's usrloc. A contact goes only if usrloc has
 * it with the agent's address and port as the source of its REGISTER, and if that REGISTER is older
 * than the silence. Belongs to the provider's thread.
 */
final class Contacts {
  private final Rpc rpc;
  private final String location;
  private final Counters counters;

  /**
   * Removes contacts of a table.
   *
   * @param location name of usrloc's table
   */
  Contacts(Rpc rpc, String location, Counters counters) {
    this.rpc = rpc;
    this.location = location;
    this.counters = counters;
  }

  /**
   * Removes the contacts of an agent.
   *
   * @param since begin of the silence, in milliseconds since 1970
   */
  void remove(Agent registered, long since) {
    rpc.call(
        "ul.lookup",
        List.of(location, registered.aor()),
        answer -> looked(registered, since, answer));
  }

  private void looked(Agent agent, long since, RpcAnswer answer) {
    boolean any = false;
    for (Map<?, ?> contact : contacts(answer.records())) {
      if (registeredFrom(contact, agent) && modified(contact) * 1000 <= since) {
        any = true;
        rpc.call(
            "ul.rm_contact",
            List.of(location, agent.aor(), String.valueOf(contact.get("Address"))),
            removed ->
                counters.add(removed.done() ? Counter.CONTACTS_REMOVED : Counter.CONTACTS_KEPT));
      }
    }
    if (!any) {
      counters.add(Counter.CONTACTS_KEPT);
    }
  }

  /** Collects the structures with an Address from an answer, however deep they are. */
  private static List<Map<?, ?>> contacts(Object value) {
    List<Map<?, ?>> found = new ArrayList<>();
    if (value instanceof List<?> list) {
      list.forEach(item -> found.addAll(contacts(item)));
    } else if (value instanceof Map<?, ?> map) {
      if (map.containsKey("Address")) {
        found.add(map);
      } else {
        map.values().forEach(item -> found.addAll(contacts(item)));
      }
    }
    return found;
  }

  /** Received is {@code sip:ADDRESS:PORT} behind a NAT; without it the contact's own URI counts. */
  private static boolean registeredFrom(Map<?, ?> contact, Agent agent) {
    String received = String.valueOf(contact.get("Received"));
    boolean set = received.startsWith("sip:") || received.startsWith("sips:");
    String uri = set ? received : String.valueOf(contact.get("Address"));
    String hostPort = uri.substring(uri.indexOf(':') + 1).replaceFirst("^[^@]*@", "");
    String bare = hostPort.split("[;?>]", 2)[0];
    return bare.equals(host(agent.address()) + ":" + agent.port());
  }

  private static long modified(Map<?, ?> contact) {
    return contact.get("Last-Modified") instanceof Integer seconds
        ? Integer.toUnsignedLong(seconds)
        : Long.MAX_VALUE / 1000;
  }

  private static String host(InetAddress address) {
    String text = Addresses.print(address);
    return text.indexOf(':') < 0 ? text : "[" + text + "]";
  }
}
