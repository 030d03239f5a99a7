// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.net.InetAddress;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.netserv.controller.ncm.DelegationGrant;
import org.netserv.controller.ncm.Publisher;
import org.netserv.filter.FlowFilter;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.policy.Decision;
import org.netserv.policy.Grant;
import org.netserv.policy.NodePolicy;
import org.netserv.policy.PublisherPolicy;

/** A publisher of one policy, the policy in force when the publisher was asked for. */
record PolicyPublisher(PublisherPolicy policy, NodePolicy node) implements Publisher {

  @Override
  public String name() {
    return policy.name();
  }

  @Override
  public int index() {
    return policy.index();
  }

  @Override
  public List<PublicKey> keys() {
    return policy.keys();
  }

  @Override
  public boolean revoked() {
    return policy.revoked();
  }

  @Override
  public boolean legacy() {
    return policy.legacy();
  }

  @Override
  public int setupsPerMinute() {
    return policy.quotas().setupsPerMinute();
  }

  @Override
  public int maxModules() {
    return policy.quotas().modules();
  }

  @Override
  public List<FlowFilter> authorise(Ncm ncm) throws NcmException {
    Decision decision = policy.authorise(ncm, node);
    if (decision.refusal().isPresent()) {
      throw decision.refusal().get();
    }
    return decision.filters();
  }

  @Override
  public boolean mayReach(InetAddress address, boolean copies) {
    return policy.prefixes().stream().anyMatch(p -> p.contains(address))
        || (copies && policy.has(Grant.MONITOR_ANY));
  }

  @Override
  public boolean publicModules() {
    return policy.has(Grant.PUBLIC_MODULE);
  }

  @Override
  public Optional<DelegationGrant> delegation() {
    return policy
        .delegates()
        .map(d -> new DelegationGrant(d.maxLifetime(), d.setupsPerMinute(), d.revoked()));
  }

  @Override
  public int memory() {
    return policy.quotas().memory();
  }

  @Override
  public int cpu() {
    return policy.quotas().cpu();
  }

  @Override
  public Map<String, String> properties() {
    Map<String, String> properties = new TreeMap<>();
    put(properties, "netserv.listen", policy.listen());
    put(properties, "netserv.connect", policy.connect());
    put(properties, "netserv.take", policy.take());
    put(properties, "netserv.serval", policy.serval().prefixes());
    return properties;
  }

  private static void put(Map<String, String> to, String name, List<?> rules) {
    if (!rules.isEmpty()) {
      to.put(name, rules.stream().map(Object::toString).collect(Collectors.joining(" ")));
    }
  }

  @Override
  public List<String> grants() {
    List<String> lines = new ArrayList<>();
    policy.prefixes().forEach(p -> lines.add("prefix " + p));
    policy.ports().forEach(p -> lines.add("filter " + p));
    policy.connect().forEach(c -> lines.add("connect " + c));
    policy.listen().forEach(l -> lines.add("listen " + l));
    policy.take().forEach(t -> lines.add("take " + t));
    policy.serval().prefixes().forEach(s -> lines.add("serval " + s));
    policy.delegates().ifPresent(d -> lines.add("delegation " + d.maxLifetime() + " s"));
    policy.process().stream().map(p -> "process " + p.text()).sorted().forEach(lines::add);
    policy.grants().stream().map(Grant::text).sorted().forEach(lines::add);
    return lines;
  }
}
