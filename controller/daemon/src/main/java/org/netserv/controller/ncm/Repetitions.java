// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.util.Optional;
import java.util.function.Consumer;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.module.Modules;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;

/** Answers accepted messages that come again. On the loop. */
final class Repetitions {
  private final Loop loop;
  private final Modules modules;
  private final NcmLedger ledger;

  Repetitions(Loop loop, Modules modules, NcmLedger ledger) {
    this.loop = loop;
    this.modules = modules;
    this.ledger = ledger;
  }

  /**
   * Sends the stored answer again. While that answer is "under way", the end state is sent if it
   * comes in time.
   */
  void repeat(NcmRequest request, Answer stored, Consumer<NcmReply> reply) {
    OnceReply once = new OnceReply(loop, request.waitMillis(), reply);
    Ncm ncm = request.ncm();
    boolean waits =
        stored.status() == 202 && ncm.method() == Method.SETUP && await(ncm, once::finish);
    if (!waits) {
      once.finish(stored.status() == 202 ? forgotten(ncm).orElse(stored) : stored);
    }
  }

  private boolean await(Ncm ncm, Consumer<Answer> settled) {
    return NcmAdmission.later(ncm)
        ? modules.fetched().await(NcmAdmission.key(ncm), settled)
        : modules.await(NcmAdmission.key(ncm), settled);
  }

  /**
   * Returns the answer to an accepted message that has ended without a recorded answer. The
   * controller was killed between the end and the answer, and the log tells the end.
   */
  private Optional<Answer> forgotten(Ncm ncm) {
    boolean gone =
        NcmAdmission.later(ncm) ? NcmAdmission.claimed(ncm, ledger.state()).isEmpty() : ended(ncm);
    if (!gone || modules.busy(NcmAdmission.key(ncm)).isPresent()) {
      return Optional.empty();
    }
    Answer answer =
        ncm.method() == Method.REMOVE
            ? new Answer(200, null, "removed")
            : new Answer(500, null, "it ended while the node was restarted; send another SETUP");
    ledger.memory().answered(ncm, answer);
    return Optional.of(answer);
  }

  /** Returns true if the module of a message has gone, or the claim of its session. */
  private boolean ended(Ncm ncm) {
    return ncm.name().equals("*")
        ? ledger.state().modulesOf(ncm.get(Header.USER)).isEmpty()
        : ledger
            .state()
            .module(NcmAdmission.key(ncm))
            .filter(m -> m.claim(NcmAdmission.session(ncm)).isPresent())
            .isEmpty();
  }
}
