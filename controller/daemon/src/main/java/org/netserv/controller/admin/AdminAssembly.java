// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import java.security.SecureRandom;
import java.util.Optional;
import java.util.function.Supplier;
import org.netserv.controller.container.Containers;
import org.netserv.controller.job.Jobs;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.module.Modules;
import org.netserv.controller.ncm.NcmService;
import org.netserv.controller.ncm.NodeFacts;
import org.netserv.controller.ncm.Publishers;
import org.netserv.values.NodeIdentity;

/** Puts the ops of the admin socket together. */
public record AdminAssembly(
    Loop loop,
    NcmService service,
    Publishers publishers,
    NodeIdentity identity,
    NodeFacts facts,
    Supplier<Optional<String>> reload) {

  /** The parts that {@code status} and {@code counters} report on. */
  public record Reports(
      NodeStatus node, ContainerStatus containers, SpawnerStats spawner, Jobs jobs) {}

  /** Makes the ops. */
  public AdminOps ops(
      Reports reports, Modules modules, Containers containers, OperatorOps operator) {
    SignalingReport signaling = new SignalingReport(loop);
    Entries entries = new Entries(identity, facts);
    Tickets tickets = new Tickets(loop, new SecureRandom());
    return new AdminOps(
        new NcmOp(service, identity, entries),
        new SignalingOps(
            service, identity, entries, tickets, signaling, new SignerList(publishers)),
        new StatusOps(reports, service, signaling),
        operator,
        new ModuleOps(modules, containers),
        reload);
  }
}
