// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.time.Duration;
import java.util.List;

/**
 * The content of {@code node.yaml}, defaults filled in. Each key is described in {@code
 * node.schema.json}.
 *
 * @param interfaces whose packets may be queued; empty = all
 * @param freshness seconds a message's date may differ from the node's clock
 * @param probesPerMinute answered to strangers
 * @param spares containers kept ready that belong to nobody yet
 * @param packetProcessors set apart for packets, by number; empty = none
 */
record NodeConfig(
    List<String> interfaces,
    SysctlMode sysctl,
    int freshness,
    int probesPerMinute,
    FetchPolicy fetch,
    LogPolicy log,
    SignalingPolicy signaling,
    IsolationPolicy isolation,
    int spares,
    List<Integer> packetProcessors,
    FastPathPolicy fastPath) {

  Duration freshnessWindow() {
    return Duration.ofSeconds(freshness);
  }
}
