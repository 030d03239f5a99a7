// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.netserv.artifact.job.JobRequest;
import org.netserv.artifact.job.JobRules;
import org.netserv.controller.job.FetchOrder;
import org.netserv.controller.job.NotifyOrder;
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
    Optional<PublisherPolicy> publisher = policy.publisher(order.user());
    List<String> anchors =
        publisher
            .map(p -> policy.anchorsOf(p).stream().map(Anchor::pem).toList())
            .orElse(List.of());
    return JobRequest.fetch(
        order.url(),
        rules(policy.fetch()),
        order.sha256().orElse(null),
        anchors,
        publisher.map(PublisherPolicy::revokedCertificates).orElse(Set.of()),
        order.module(),
        order.version(),
        Runtime.version().feature());
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
