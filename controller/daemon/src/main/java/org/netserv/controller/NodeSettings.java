// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.netserv.controller.container.ContainerOrders;
import org.netserv.controller.isolation.IsolationRules;
import org.netserv.controller.job.JobSettings;
import org.netserv.controller.module.ModuleSettings;
import org.netserv.controller.ncm.Publishers;
import org.netserv.policy.ContainerPrefixes;

/**
 * All that the controller asks of policy; one implementation reads the files, tests write their
 * own.
 */
interface NodeSettings
    extends Publishers, ContainerOrders, JobSettings, ModuleSettings, IsolationRules {

  /**
   * Loads the files again; on an error nothing changes and the text names file, place and reason.
   */
  Optional<String> reload();

  /** Whether the spawner is to set kernel settings, or only to check them. */
  boolean setSysctl();

  /** The keys of the spawner's verb {@code fastpath}. */
  Map<String, String> fastPath();

  /** Interfaces whose packets are queued; empty = all. */
  List<String> interfaces();

  /** Of which containers get their networks. */
  ContainerPrefixes containerPrefixes();

  /** Processors that are set apart for packets, by number; empty = none. */
  List<Integer> packetProcessors();
}
