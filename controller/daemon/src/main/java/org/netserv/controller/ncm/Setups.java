// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.netserv.controller.log.DesiredModule;
import org.netserv.controller.log.LogRecord;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.module.ModuleOrder;
import org.netserv.controller.module.ModuleState;
import org.netserv.controller.module.Modules;
import org.netserv.filter.FlowFilter;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;

/** Carries out SETUPs: new modules, other versions, and refreshes. On the loop. */
final class Setups {
  private final Loop loop;
  private final Modules modules;
  private final OrderFactory orders;
  private final NcmAdmission admission;
  private final Capacity capacity;
  private final NcmLedger ledger;

  Setups(
      Loop loop,
      Modules modules,
      OrderFactory orders,
      NcmAdmission admission,
      Capacity capacity,
      NcmLedger ledger) {
    this.loop = loop;
    this.modules = modules;
    this.orders = orders;
    this.admission = admission;
    this.capacity = capacity;
    this.ledger = ledger;
  }

  /**
   * Accepts a SETUP, or refuses it with nothing done. {@code reply} is called once, after an
   * acceptance. A delegate's SETUP of the version that is here claims it, and changes no settings.
   *
   * @param bytes SHA-256 of the signed bytes
   */
  void setup(NcmRequest request, Publisher publisher, String bytes, Consumer<NcmReply> reply)
      throws NcmException {
    Ncm ncm = request.ncm();
    ModuleKey key = NcmAdmission.key(ncm);
    admission.isolation(publisher);
    admission.dependencies(ncm);
    List<FlowFilter> filters = admission.policy(ncm, publisher, ledger.state());
    if (NcmAdmission.later(ncm)) {
      fetch(request, filters, bytes, reply);
      return;
    }
    Optional<String> busy = modules.busy(key);
    if (busy.isPresent()) {
      throw NcmAdmission.refusal(409, null, busy.get());
    }
    Optional<DesiredModule> present = ledger.state().module(key);
    Delegates.claimable(ncm, present);
    admission.sameBundle(ncm, ledger.state());
    capacity.containers();
    boolean refresh =
        present
            .filter(m -> m.confirmed() && m.current().version().equals(ncm.version()))
            .isPresent();
    if (refresh) {
      atWork(key);
    } else {
      capacity.newModule();
    }
    boolean claim = refresh && ncm.has(Header.DELEGATION);
    ModuleOrder order =
        claim
            ? orders.restore(present.get(), present.get().current())
            : orders.order(ncm, filters, present.map(DesiredModule::since).orElse(loop.wall()));
    admission.counting(order);
    List<LogRecord> before = present.map(m -> ledger.memory().asItIs(m, ncm)).orElse(List.of());
    if (claim) {
      ledger.memory().claim(ncm, present.get().current(), bytes);
    } else {
      ledger.memory().setup(ncm, publisher, bytes);
    }
    ledger.accepted(request);
    Consumer<Answer> settled = settled(request, reply);
    if (refresh) {
      modules.refresh(order, settled, () -> undoRefresh(key, ncm.version(), before));
    } else {
      modules.setup(order, settled);
    }
  }

  /**
   * Accepts a SETUP that has its bundle fetched only. Policy has granted its filters, so that the
   * publisher hears of a refusal before it is in a hurry.
   */
  private void fetch(
      NcmRequest request, List<FlowFilter> filters, String bytes, Consumer<NcmReply> reply)
      throws NcmException {
    Ncm ncm = request.ncm();
    ModuleOrder order = orders.order(ncm, filters, loop.wall());
    Optional<String> busy = modules.fetched().busy(order);
    if (busy.isPresent()) {
      throw NcmAdmission.refusal(409, null, busy.get());
    }
    admission.sameBundle(ncm, ledger.state());
    capacity.containers();
    boolean refresh =
        ledger
            .state()
            .bundle(order.key())
            .filter(bundle -> bundle.is(ncm.version(), ncm.get(Header.DIGEST)))
            .isPresent();
    if (!refresh) {
      capacity.newModule();
    }
    ledger.memory().fetch(ncm, bytes);
    ledger.accepted(request);
    modules.fetched().fetch(order, settled(request, reply));
  }

  /** Returns the listener to the end state: it is remembered, and told to the sender in time. */
  private Consumer<Answer> settled(NcmRequest request, Consumer<NcmReply> reply) {
    OnceReply once = new OnceReply(loop, request.waitMillis(), reply);
    return answer -> {
      ledger.memory().answered(request.ncm(), answer);
      once.finish(answer);
    };
  }

  /**
   * Refuses to refresh a module that sees no packets, because a refresh would say that all is well.
   */
  private void atWork(ModuleKey key) throws NcmException {
    Optional<String> quarantine = modules.quarantined(key);
    if (quarantine.isPresent()) {
      throw NcmAdmission.refusal(
          503,
          null,
          quarantine.get() + "; send another version, or ask the operator to release it");
    }
    Optional<String> bypassed = modules.path().bypassed(key);
    if (bypassed.isPresent()) {
      throw NcmAdmission.refusal(503, null, bypassed.get() + "; try again");
    }
  }

  private void undoRefresh(ModuleKey key, String version, List<LogRecord> before) {
    Optional<DesiredModule> module = ledger.state().module(key);
    if (module.filter(m -> m.current().version().equals(version)).isEmpty()) {
      return; // Removed or replaced meanwhile.
    }
    ledger.memory().append(before);
    if (ledger.state().module(key).isEmpty()) {
      modules.remove(
          key, ModuleState.EXPIRED, new Answer(410, "ttl", "its last claim ran out"), () -> {});
    }
  }
}
