// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import java.security.SecureRandom;
import java.util.Optional;
import java.util.function.Supplier;
import org.netserv.controller.container.Containers;
import org.netserv.controller.container.CounterPoll;
import org.netserv.controller.container.Misdeeds;
import org.netserv.controller.fastpath.FastPath;
import org.netserv.controller.isolation.Isolation;
import org.netserv.controller.job.Jobs;
import org.netserv.controller.limit.Limits;
import org.netserv.controller.log.NcmLog;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.module.Modules;
import org.netserv.controller.ncm.AuditLog;
import org.netserv.controller.ncm.NcmService;
import org.netserv.controller.ncm.NodeFacts;
import org.netserv.controller.ncm.Publishers;
import org.netserv.controller.spawner.FirewallState;
import org.netserv.controller.spawner.Spawner;
import org.netserv.process.Overload;
import org.netserv.values.NodeIdentity;

/** Puts the ops of the admin socket together. */
public record AdminAssembly(
    Loop loop,
    NcmService service,
    Publishers publishers,
    NodeIdentity identity,
    NodeFacts facts,
    String profile,
    AuditLog audit) {

  /** Makes the ops, with all the parts that they look at. */
  public AdminOps ops(
      Spawner spawner,
      Isolation isolation,
      FirewallState firewall,
      FastPath fastPath,
      Limits limits,
      Containers containers,
      Misdeeds misdeeds,
      Overload overload,
      Modules modules,
      CounterPoll counters,
      Jobs jobs,
      NcmLog log,
      Supplier<Optional<String>> reload) {
    SignalingReport report = new SignalingReport(loop);
    Entries entries = new Entries(identity, facts);
    Tickets tickets = new Tickets(loop, new SecureRandom());
    StatusOps status =
        new StatusOps(
            loop,
            facts,
            profile,
            spawner,
            isolation,
            firewall,
            fastPath,
            limits,
            containers,
            misdeeds,
            overload,
            modules,
            counters,
            jobs,
            service.refusals(),
            service::storage,
            log,
            report);
    return new AdminOps(
        new NcmOp(service, identity, entries),
        new SignalingOps(service, identity, entries, tickets, report, new SignerList(publishers)),
        status,
        new OperatorOps(loop, modules, log, audit),
        containers,
        reload);
  }
}
