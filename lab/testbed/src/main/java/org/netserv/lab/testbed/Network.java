// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.base.Namespaces;
import org.netserv.lab.testbed.base.Shell;
import org.netserv.lab.testbed.topology.Address;
import org.netserv.lab.testbed.topology.Topology;
import org.netserv.lab.testbed.topology.Topology.End;
import org.netserv.lab.testbed.topology.Topology.Link;
import org.netserv.lab.testbed.topology.Topology.Node;

/**
 * Makes namespaces, links, addresses, routes, sysctls and firewall rules of a topology. It changes
 * nothing outside these namespaces, because both ends of a link are born inside them.
 */
final class Network {
  private final Topology topology;

  Network(Topology topology) {
    this.topology = topology;
  }

  /** Returns the name of the namespace in the middle of a link that has a relay. */
  static String relayNode(int link) {
    return "relay" + link;
  }

  void up() throws IOException {
    for (Node node : topology.nodes().values()) {
      addNamespace(node.name());
    }
    for (int i = 0; i < topology.links().size(); i++) {
      link(i, topology.links().get(i));
    }
    for (Node node : topology.nodes().values()) {
      configure(node);
    }
  }

  private void addNamespace(String node) throws IOException {
    Shell.run("ip", "netns", "add", ns(node));
    Shell.run("ip", "-n", ns(node), "link", "set", "lo", "up");
    // Without duplicate address detection an address is usable at once.
    sysctl(node, "net.ipv6.conf.all.accept_dad", "0");
    sysctl(node, "net.ipv6.conf.default.accept_dad", "0");
    sysctl(node, "net.ipv6.conf.all.accept_ra", "0");
  }

  private void link(int index, Link link) throws IOException {
    if (!link.impairment().relayed()) {
      veth(link.a(), link.b(), link.mtu());
    } else {
      String middle = relayNode(index);
      addNamespace(middle);
      // The relay must not send packets of its own.
      sysctl(middle, "net.ipv6.conf.default.disable_ipv6", "1");
      veth(link.a(), new End(middle, "left"), link.mtu());
      veth(new End(middle, "right"), link.b(), link.mtu());
    }
    if (link.impairment().dropEvery() > 0) {
      dropEvery(link.a(), link.impairment().dropEvery());
      dropEvery(link.b(), link.impairment().dropEvery());
    }
  }

  private void veth(End a, End b, int mtu) throws IOException {
    String size = Integer.toString(mtu);
    Shell.run(
        List.of(
            "ip",
            "link",
            "add",
            "name",
            a.interfaceName(),
            "mtu",
            size,
            "netns",
            ns(a.node()),
            "type",
            "veth",
            "peer",
            "name",
            b.interfaceName(),
            "mtu",
            size,
            "netns",
            ns(b.node())));
    Shell.run("ip", "-n", ns(a.node()), "link", "set", "dev", a.interfaceName(), "up");
    Shell.run("ip", "-n", ns(b.node()), "link", "set", "dev", b.interfaceName(), "up");
  }

  /** Adds a rule that counts, so that each run with the same traffic loses the same packets. */
  private void dropEvery(End end, int every) throws IOException {
    String rule =
        "-t raw -A PREROUTING -i %s -m statistic --mode nth --every %d --packet 0 -j DROP"
            .formatted(end.interfaceName(), every);
    firewall(end.node(), rule);
  }

  private void configure(Node node) throws IOException {
    for (Map.Entry<String, List<Address>> entry : node.interfaces().entrySet()) {
      for (Address address : entry.getValue()) {
        List<String> add = ip(node, "address", "add", address.toString(), "dev", entry.getKey());
        if (address.isV6()) {
          add.add("nodad");
        }
        Shell.run(add);
      }
    }
    if (node.forward()) {
      sysctl(node.name(), "net.ipv4.ip_forward", "1");
      sysctl(node.name(), "net.ipv6.conf.all.forwarding", "1");
    }
    for (Map.Entry<String, String> entry : node.sysctls().entrySet()) {
      sysctl(node.name(), entry.getKey(), entry.getValue());
    }
    for (String route : node.routes()) {
      String[] words = route.split(" ", -1);
      String family = words[2].indexOf(':') < 0 ? "-4" : "-6";
      Shell.run(ip(node, family, "route", "add", words[0], "via", words[2]));
    }
    for (String out : node.masquerade()) {
      firewall(node.name(), "-t nat -A POSTROUTING -o " + out + " -j MASQUERADE");
    }
    for (String rule : node.firewall()) {
      firewall(node.name(), rule);
    }
  }

  private void firewall(String node, String rule) throws IOException {
    for (String program : List.of("iptables-nft", "ip6tables-nft")) {
      List<String> command = new ArrayList<>(List.of(program, "-w"));
      command.addAll(List.of(rule.trim().split(" +", -1)));
      Shell.run(Namespaces.enter(topology.name(), node, command));
    }
  }

  private void sysctl(String node, String key, String value) throws IOException {
    Shell.run(
        Namespaces.enter(topology.name(), node, List.of("sysctl", "-q", "-w", key + "=" + value)));
  }

  private List<String> ip(Node node, String... words) {
    List<String> command = new ArrayList<>(List.of("ip", "-n", ns(node.name())));
    command.addAll(List.of(words));
    return command;
  }

  private String ns(String node) {
    return Namespaces.name(topology.name(), node);
  }
}
