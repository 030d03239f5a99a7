// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.netserv.artifact.job.JobRequest;
import org.netserv.controller.job.FetchOrder;
import org.netserv.controller.job.NotifyOrder;
import org.netserv.controller.ncm.Publisher;
import org.netserv.controller.spawner.ContainerSpec;
import org.netserv.policy.ContainerPrefixes;
import org.netserv.policy.FastPathPolicy;
import org.netserv.policy.IsolationPolicy;
import org.netserv.policy.NodePolicy;
import org.netserv.policy.Plane;
import org.netserv.policy.PolicyException;
import org.netserv.policy.PublisherPolicy;
import org.netserv.policy.SysctlMode;
import org.netserv.process.LogFormat;

/**
 * {@link NodeSettings} from the policy files. {@link #reload} replaces the policy in force as a
 * whole. Readers on other threads see the old policy or the new one.
 */
final class PolicySettings implements NodeSettings {
  /** Distance of containers' uids from the node's first id. */
  private static final int UID_OFFSET = 10_000;

  /**
   * Distance of the uids of spares, one for each slot, from the node's first id. A container that
   * was a spare keeps its uid.
   */
  private static final int SPARE_OFFSET = 80_000;

  private static final int SPARE_SLOTS = 256;

  /** First queue number of the node. Other programs on a router use low numbers. */
  private static final int FIRST_QUEUE = 16_384;

  private static final int JOB_MEMORY = 192;

  /**
   * Seconds by which the spawner's limit of a job exceeds the job's own limits, which end first.
   * The spawner's limit is for a job that hangs.
   */
  private static final int JOB_SLACK = 15;

  private final Path etc;
  private final int firstId;
  private final String nodeId;
  private volatile NodePolicy policy;

  /**
   * Takes a policy that has been loaded.
   *
   * @param firstId first of the node's numeric ids, 690000 by default
   */
  PolicySettings(Path etc, NodePolicy policy, int firstId, String nodeId) {
    this.etc = etc;
    this.policy = policy;
    this.firstId = firstId;
    this.nodeId = nodeId;
  }

  @Override
  public Optional<String> reload() {
    try {
      policy = NodePolicy.load(etc);
      LogFormat.level(policy.log().level());
      return Optional.empty();
    } catch (PolicyException e) {
      return Optional.of(e.getMessage());
    }
  }

  @Override
  public Optional<Publisher> find(String user) {
    NodePolicy now = policy;
    return now.publisher(user).map(p -> new PolicyPublisher(p, now));
  }

  @Override
  public List<Publisher> all() {
    NodePolicy now = policy;
    List<Publisher> all = new ArrayList<>();
    now.publishers().values().forEach(p -> all.add(new PolicyPublisher(p, now)));
    return all;
  }

  @Override
  public long window() {
    return policy.freshness().toMillis();
  }

  /** Bytes that must be free under the node's state for a new SETUP. */
  long diskReserve() {
    return policy.diskReserve();
  }

  @Override
  public int probesPerMinute() {
    return policy.probesPerMinute();
  }

  @Override
  public boolean setSysctl() {
    return policy.sysctlMode() == SysctlMode.SET;
  }

  @Override
  public List<String> interfaces() {
    return policy.interfaces();
  }

  @Override
  public ContainerPrefixes containerPrefixes() {
    return policy.containers();
  }

  @Override
  public List<Integer> packetProcessors() {
    return policy.packetProcessors();
  }

  @Override
  public FastPathPolicy fastPath() {
    return policy.fastPath();
  }

  @Override
  public boolean afxdp(String user) {
    return policy.publisher(user).map(p -> p.plane() == Plane.AFXDP).orElse(false);
  }

  @Override
  public String trust(String user) {
    return JobRequests.trust(user, policy);
  }

  @Override
  public IsolationPolicy isolation() {
    return policy.isolation();
  }

  @Override
  public boolean operator(String user) {
    return policy.publisher(user).map(PublisherPolicy::operator).orElse(false);
  }

  @Override
  public String nodeId() {
    return nodeId;
  }

  @Override
  public OptionalInt queue(String user) {
    return policy.publishers().values().stream()
        .filter(p -> p.name().equals(user))
        .mapToInt(PolicySettings::queue)
        .findFirst();
  }

  private static int queue(PublisherPolicy publisher) {
    return FIRST_QUEUE + 2 * publisher.index();
  }

  @Override
  public Optional<String> userOf(long uid) {
    return policy.publishers().values().stream()
        .filter(p -> uid(p) == uid)
        .map(PublisherPolicy::name)
        .findFirst();
  }

  @Override
  public boolean isSpare(long uid) {
    long slot = uid - firstId - SPARE_OFFSET;
    return slot >= 0 && slot < SPARE_SLOTS;
  }

  private int uid(PublisherPolicy publisher) {
    return firstId + UID_OFFSET + publisher.index();
  }

  @Override
  public Optional<ContainerSpec> start(String user) {
    return policy.publisher(user).filter(p -> !p.revoked()).map(this::container);
  }

  private ContainerSpec container(PublisherPolicy publisher) {
    boolean network =
        !publisher.connect().isEmpty()
            || !publisher.listen().isEmpty()
            || !publisher.take().isEmpty();
    return new ContainerSpec(
        publisher.name(),
        uid(publisher),
        queue(publisher),
        network ? OptionalInt.of(publisher.index()) : OptionalInt.empty(),
        publisher.quotas(),
        publisher.limits(),
        publisher.plane(),
        publisher.rewrite(),
        publisher.connect(),
        publisher.listen(),
        publisher.process(),
        publisher.take(),
        publisher.serval().prefixes(),
        policy.isolation().leftOut());
  }

  /**
   * Returns the number of spares. Spares have every layer. Nobody could use them where policy
   * leaves a layer out, so none is ordered there.
   */
  @Override
  public int spares() {
    NodePolicy now = policy;
    return now.isolation().leftOut().isEmpty() ? now.spares() : 0;
  }

  @Override
  public int standby() {
    return policy.standby();
  }

  @Override
  public int spareJobs() {
    return policy.spareJobs();
  }

  @Override
  public JobRequest fetchRequest(FetchOrder order) {
    return JobRequests.fetch(order, policy);
  }

  @Override
  public JobRequest notifyRequest(NotifyOrder order) {
    return JobRequests.notification(order, policy);
  }

  @Override
  public List<String> fetchAllowed() {
    return policy.fetch().allow().stream().map(Object::toString).toList();
  }

  @Override
  public List<String> fetchDenied() {
    return policy.fetch().deny().stream().map(Object::toString).toList();
  }

  @Override
  public List<Integer> fetchPorts() {
    return policy.fetch().ports();
  }

  @Override
  public int maxBytes(String user) {
    return (int) Math.min(Integer.MAX_VALUE - 8, policy.fetch().maxBytes());
  }

  @Override
  public int memoryMib() {
    return JOB_MEMORY;
  }

  @Override
  public int timeoutSeconds() {
    return policy.fetch().totalMillis() / 1000 + JOB_SLACK;
  }
}
