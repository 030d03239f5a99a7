// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import org.netserv.controller.job.Jobs;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.module.Modules;

/** Puts the service for messages together. */
public record NcmAssembly(
    Loop loop, Publishers publishers, NodeFacts facts, Modules modules, Jobs jobs) {

  /** Makes the service. */
  public NcmService service(
      NcmAdmission admission,
      ProbeAnswers probes,
      OrderFactory orders,
      Capacity capacity,
      NcmLedger ledger) {
    return new NcmService(
        loop,
        new NcmService.Questions(
            admission,
            new Delegates(publishers, admission),
            new TriggerAdmission(loop, publishers, admission, facts.nodeId()),
            probes),
        new NcmService.Changes(
            new Setups(loop, modules, orders, admission, capacity, ledger),
            new Removals(loop, modules, jobs, admission, ledger, facts.nodeId()),
            new Repetitions(loop, modules, ledger)),
        capacity,
        ledger);
  }
}
