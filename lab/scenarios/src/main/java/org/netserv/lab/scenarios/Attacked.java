// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;

/** A process that an attack is for, with its counters by name. */
interface Attacked {
  /** Returns the name for rows. */
  String name();

  /** Returns its ADDRESS:PORT. */
  String at();

  /** Returns all counters that are not zero. */
  Map<String, Long> counters() throws IOException;

  /** Returns the counters of a packet whose header is refused for this reason. */
  String[] ofHeader(String error);

  /** Returns the process, which an attack must not end. */
  long pid() throws IOException;

  /** Returns the sald of a host. Its counters are GROUP/NAME. */
  static Attacked host(String name, SalHost host, String address) {
    return new Host(name, host, address + ":" + ServalEnds.PORT);
  }

  /** Returns the router's module of a node. */
  static Attacked router(ServalAttack attack, String node, String address) {
    return new Router(attack, node, address + ":" + ServalEnds.PORT);
  }

  /** The sald of a host. */
  record Host(String name, SalHost host, String at) implements Attacked {
    @Override
    public Map<String, Long> counters() throws IOException {
      Map<String, Long> all = new TreeMap<>();
      JsonNode status = host.view("status");
      for (String group : new String[] {"packets", "refusals", "verdicts"}) {
        status
            .path(group)
            .properties()
            .forEach(each -> all.put(group + "/" + each.getKey(), each.getValue().asLong()));
      }
      return all;
    }

    @Override
    public String[] ofHeader(String error) {
      return new String[] {"packets/" + error, "verdicts/MALFORMED"};
    }

    @Override
    public long pid() {
      return host.pid();
    }
  }

  /** The module of a router, in the container of its node. */
  record Router(ServalAttack attack, String node, String at) implements Attacked {
    @Override
    public String name() {
      return "router " + node;
    }

    @Override
    public Map<String, Long> counters() throws IOException {
      return attack.routers().counts(node);
    }

    @Override
    public String[] ofHeader(String error) {
      return new String[] {"PACKET_" + error};
    }

    @Override
    public long pid() throws IOException {
      Testbed testbed = attack.stage().testbed();
      return NodeProcesses.of(testbed, node).handle("container").pid();
    }
  }
}
