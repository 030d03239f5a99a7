// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.netserv.controller.job.Jobs;
import org.netserv.controller.job.NotifyOrder;
import org.netserv.controller.log.DesiredModule;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.module.ModuleState;
import org.netserv.controller.module.Modules;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;

/** Carries out REMOVEs, and notifies the publisher of their end. On the loop. */
final class Removals {
  private final Loop loop;
  private final Modules modules;
  private final Jobs jobs;
  private final NcmAdmission admission;
  private final NcmLedger ledger;
  private final String nodeId;

  Removals(
      Loop loop,
      Modules modules,
      Jobs jobs,
      NcmAdmission admission,
      NcmLedger ledger,
      String nodeId) {
    this.loop = loop;
    this.modules = modules;
    this.jobs = jobs;
    this.admission = admission;
    this.ledger = ledger;
    this.nodeId = nodeId;
  }

  /**
   * Accepts a REMOVE, or the revocation of delegations. {@code reply} is called once, after an
   * acceptance.
   *
   * @param bytes SHA-256 of the signed bytes
   */
  void remove(NcmRequest request, String bytes, Consumer<NcmReply> reply) throws NcmException {
    Ncm ncm = request.ncm();
    String user = ncm.get(Header.USER);
    boolean revokes = ncm.has(Header.REVOKE);
    if (revokes) {
      Delegates.revocable(ncm, ledger.state());
    } else {
      admission.present(ncm, NcmAdmission.session(ncm), ledger.state());
    }
    List<ModuleKey> before =
        ledger.state().modulesOf(user).stream().map(DesiredModule::key).toList();
    int bundles = ledger.state().bundlesOf(user).size();
    if (revokes) {
      ledger.memory().revoke(ncm, bytes);
    } else {
      ledger.memory().remove(ncm, bytes);
    }
    ledger.accepted(request);
    boolean bundleGone = ledger.state().bundlesOf(user).size() < bundles;
    modules.fetched().follow(new Answer(200, null, "removed by its publisher"));
    List<ModuleKey> gone = before.stream().filter(k -> ledger.state().module(k).isEmpty()).toList();
    OnceReply once = new OnceReply(loop, request.waitMillis(), reply);
    if (gone.isEmpty() && revokes) {
      removed(ncm, new Answer(200, null, "revoked"), once);
      return;
    }
    if (gone.isEmpty()) {
      removed(ncm, new Answer(200, null, kept(ncm, bundleGone)), once);
      return;
    }
    int[] left = {gone.size()};
    for (ModuleKey key : gone) {
      modules.remove(
          key,
          ModuleState.REMOVED,
          new Answer(200, null, "removed by its publisher"),
          () -> {
            if (--left[0] == 0) {
              removed(
                  ncm,
                  new Answer(
                      200, null, gone.size() == 1 ? "removed" : gone.size() + " modules removed"),
                  once);
            }
          });
    }
  }

  /** Tells what a REMOVE has done that has ended no module. */
  private String kept(Ncm ncm, boolean bundleGone) {
    ModuleKey key = NcmAdmission.key(ncm);
    Optional<DesiredModule> module = ledger.state().module(key);
    if (bundleGone) {
      return "fetched bundle removed" + (module.isPresent() ? "; the module stays" : "");
    }
    return module
        .map(m -> "claim dropped; " + m.claims().size() + " other claims keep the module")
        .orElseGet(
            () ->
                "claim dropped; "
                    + ledger.state().bundle(key).map(b -> b.claims().size()).orElse(0)
                    + " other claims keep the fetched bundle");
  }

  private void removed(Ncm ncm, Answer answer, OnceReply once) {
    ledger.memory().answered(ncm, answer);
    ncm.notification()
        .ifPresent(
            url ->
                jobs.tell(
                    new NotifyOrder(
                        ncm.get(Header.USER),
                        url.toString(),
                        ncm.name(),
                        String.valueOf(ncm.version()),
                        nodeId,
                        answer.status(),
                        answer.reason())));
    once.finish(answer);
  }
}
