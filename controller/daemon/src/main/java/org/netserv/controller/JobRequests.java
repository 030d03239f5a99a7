// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.netserv.artifact.job.JobRequest;
import org.netserv.artifact.job.JobRules;
import org.netserv.controller.job.FetchOrder;
import org.netserv.controller.job.NotifyOrder;
import org.netserv.controller.ncm.NcmLedger;
import org.netserv.policy.Anchor;
import org.netserv.policy.FetchPolicy;
import org.netserv.policy.NodePolicy;
import org.netserv.policy.PublisherPolicy;
import org.netserv.values.Prefix;

/**
 * Makes the requests of jobs. A request has all that a job needs to know, so that the job reads no
 * policy itself.
 */
final class JobRequests {
  private static final String METHOD = "netserv.notify";

  private JobRequests() {}

  static JobRequest fetch(FetchOrder order, NodePolicy policy) {
    return JobRequest.fetch(
        order.url(),
        rules(policy.fetch()),
        order.sha256().orElse(null),
        anchors(order.user(), policy),
        revoked(order.user(), policy),
        order.module(),
        order.version(),
        Runtime.version().feature());
  }

  private static List<String> anchors(String user, NodePolicy policy) {
    return policy
        .publisher(user)
        .map(p -> policy.anchorsOf(p).stream().map(Anchor::pem).toList())
        .orElse(List.of());
  }

  private static Set<String> revoked(String user, NodePolicy policy) {
    return policy.publisher(user).map(PublisherPolicy::revokedCertificates).orElse(Set.of());
  }

  /**
   * Returns a digest of the facts by which a job verifies a publisher's bundles: anchors, revoked
   * certificates, longest bundle, and the Java of containers.
   */
  static String trust(String user, NodePolicy policy) {
    StringBuilder facts = new StringBuilder();
    new TreeSet<>(anchors(user, policy)).forEach(pem -> facts.append("anchor ").append(pem));
    new TreeSet<>(revoked(user, policy)).forEach(id -> facts.append("revoked ").append(id));
    facts.append("bytes ").append(policy.fetch().maxBytes());
    facts.append(" java ").append(Runtime.version().feature());
    return NcmLedger.sha256(facts.toString().getBytes(StandardCharsets.UTF_8));
  }

  static JobRequest notification(NotifyOrder order, NodePolicy policy) {
    Map<String, String> params = new LinkedHashMap<>();
    params.put("module", order.module());
    params.put("version", order.version());
    params.put("node-id", order.nodeId());
    params.put("status", "" + order.status());
    params.put("reason", order.reason());
    return JobRequest.notify(order.url(), rules(policy.fetch()), METHOD, params);
  }

  private static JobRules rules(FetchPolicy fetch) {
    return new JobRules(
        fetch.allow().stream().map(Prefix::toString).toList(),
        fetch.deny().stream().map(Prefix::toString).toList(),
        new TreeSet<>(fetch.ports()),
        fetch.maxBytes(),
        fetch.connectMillis(),
        fetch.idleMillis(),
        fetch.totalMillis());
  }
}
