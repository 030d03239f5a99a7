// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The content of {@code node.yaml}, defaults filled in. {@code node.schema.json} describes each
 * key.
 *
 * @param interfaces with packets that may be queued; empty = all
 * @param freshness seconds a message's date may differ from the node's clock
 * @param probesPerMinute answered to strangers of one source
 * @param diskReserve bytes that must be free under the node's state for a new SETUP
 * @param spares containers kept ready that belong to nobody yet
 * @param spareJobs jobs kept ready that have no order yet
 * @param standby containers kept at most for fetched bundles alone
 * @param containers prefixes from which containers get their networks
 * @param packetProcessors set apart for packets, by number; empty = none
 */
public record NodeConfig(
    List<String> interfaces,
    SysctlMode sysctl,
    int freshness,
    int probesPerMinute,
    FetchPolicy fetch,
    LogPolicy log,
    long diskReserve,
    SignalingPolicy signaling,
    IsolationPolicy isolation,
    int spares,
    int spareJobs,
    int standby,
    ContainerPrefixes containers,
    List<Integer> packetProcessors,
    FastPathPolicy fastPath) {

  /**
   * Reads {@code node.yaml} and nothing else: the signaling daemon must not see publishers' files.
   *
   * @param etcDir {@code <root>/etc/netserv}; need not exist
   */
  public static NodeConfig load(Path etcDir) throws PolicyException {
    Path file = etcDir.resolve(NodePolicy.NODE_FILE);
    byte[] content = Files.exists(file) ? PolicyFile.trusted(file) : new byte[0];
    return PolicyFile.NODE.read(file, content, "node");
  }

  Duration freshnessWindow() {
    return Duration.ofSeconds(freshness);
  }
}
