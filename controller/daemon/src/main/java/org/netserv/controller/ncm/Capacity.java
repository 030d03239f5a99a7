// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.netserv.controller.log.Storage;
import org.netserv.ncm.NcmException;
import org.netserv.process.Overload;
import org.netserv.process.Work;

/** The room that the node has for more work: load, disk and a spawner that answers. On the loop. */
public final class Capacity {
  private final Storage storage;
  private final Overload overload;
  private final BooleanSupplier able;
  private final NcmLedger ledger;

  /**
   * Joins the measures.
   *
   * @param able returns true if the node can start containers now
   */
  public Capacity(Storage storage, Overload overload, BooleanSupplier able, NcmLedger ledger) {
    this.storage = storage;
    this.overload = overload;
    this.able = able;
    this.ledger = ledger;
  }

  /** Refuses work that the node has no room for. Work from the node itself is let in. */
  void load(NcmRequest request, Work work) throws NcmException {
    if (request.origin().isPresent()) {
      load(work);
    }
  }

  private void load(Work work) throws NcmException {
    Optional<String> refusal = overload.refusal(work);
    if (refusal.isPresent()) {
      throw NcmAdmission.refusal(503, null, refusal.get());
    }
  }

  /** Refuses a SETUP while no container can be started. */
  void containers() throws NcmException {
    if (!able.getAsBoolean()) {
      throw NcmAdmission.refusal(503, null, "this node cannot start containers now; try again");
    }
  }

  /** Refuses a new module early, so that there is room left for the modules that run. */
  void newModule() throws NcmException {
    load(Work.PUBLISHER);
    Optional<String> full = full();
    if (full.isPresent()) {
      throw NcmAdmission.refusal(507, null, full.get());
    }
  }

  /** Returns the reason why no new SETUP is accepted now, if the disk is the cause. */
  Optional<String> full() {
    Optional<String> full = storage.full();
    return full.isEmpty() && ledger.failing()
        ? Optional.of("the audit log cannot be written")
        : full;
  }

  /** Holds back room on the disk for the modules that run. */
  void keep() {
    storage.keep();
  }
}
