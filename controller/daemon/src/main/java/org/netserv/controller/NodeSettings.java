// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.util.List;
import java.util.Optional;
import org.netserv.controller.container.ContainerOrders;
import org.netserv.controller.isolation.IsolationRules;
import org.netserv.controller.job.JobSettings;
import org.netserv.controller.module.ModuleSettings;
import org.netserv.controller.ncm.Publishers;
import org.netserv.policy.ContainerPrefixes;
import org.netserv.policy.FastPathPolicy;

/**
 * All that the controller asks of policy. One implementation reads the files, and tests write their
 * own.
 */
interface NodeSettings
    extends Publishers, ContainerOrders, JobSettings, ModuleSettings, IsolationRules {

  /**
   * Loads the files again. On an error nothing changes, and the returned text names file, place and
   * reason.
   */
  Optional<String> reload();

  /** Returns true if the spawner is to set kernel settings, and false if it only checks them. */
  boolean setSysctl();

  /** Interfaces of the fast path, and how it works there. */
  FastPathPolicy fastPath();

  /** Containers that are kept ready and belong to nobody yet; 0 = none. */
  int spares();

  /** Interfaces on which packets are queued; empty = all. */
  List<String> interfaces();

  /** The prefixes from which containers get their networks. */
  ContainerPrefixes containerPrefixes();

  /** Processors that are set apart for packets, by number; empty = none. */
  List<Integer> packetProcessors();
}
