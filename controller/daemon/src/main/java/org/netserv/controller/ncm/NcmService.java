// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.function.Consumer;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.StateImage;
import org.netserv.controller.loop.Loop;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmRules;
import org.netserv.process.Work;

/**
 * Turns a message into an answer: authenticate, authorise, remember, act. A refusal changes
 * nothing, is counted and leaves one line in the audit log. An acceptance leaves a line as well,
 * and is durable before anything is done about it. Lives on the loop.
 */
public final class NcmService {
  private static final long TICK_MILLIS = 60_000;

  private final Loop loop;
  private final NcmAdmission admission;
  private final Delegates delegates;
  private final TriggerAdmission triggers;
  private final ProbeAnswers probes;
  private final Changes changes;
  private final Capacity capacity;
  private final NcmLedger ledger;

  /** The questions that a message of each kind has to pass. */
  record Questions(
      NcmAdmission messages, Delegates delegates, TriggerAdmission triggers, ProbeAnswers probes) {}

  /** The parts that carry out an accepted message. */
  record Changes(Setups setups, Removals removals, Repetitions repetitions) {}

  NcmService(Loop loop, Questions questions, Changes changes, Capacity capacity, NcmLedger ledger) {
    this.loop = loop;
    this.admission = questions.messages();
    this.delegates = questions.delegates();
    this.triggers = questions.triggers();
    this.probes = questions.probes();
    this.changes = changes;
    this.capacity = capacity;
    this.ledger = ledger;
  }

  /** Holds back room on the disk now, and tidies up once a minute from now on. */
  public void start() {
    capacity.keep();
    tick();
  }

  private void tick() {
    loop.after(
        TICK_MILLIS,
        () -> {
          ledger.tick();
          triggers.forget();
          capacity.keep();
          tick();
        });
  }

  /** Returns the reason why no new SETUP is accepted now, if the disk is the cause. */
  public Optional<String> storage() {
    return capacity.full();
  }

  public Refusals refusals() {
    return ledger.refusals();
  }

  /** Refuses a message that does not even parse. */
  public NcmReply malformed(NcmException why, String source) {
    return NcmReply.of(ledger.refused(null, why, source, source));
  }

  /** Decides and acts. {@code reply} is called once, within the time that the sender waits. */
  public void handle(NcmRequest request, Consumer<NcmReply> reply) {
    try {
      if (request.ncm().method() == Method.PROBE) {
        reply.accept(probe(request));
      } else {
        change(request, reply);
      }
    } catch (NcmException e) {
      Answer refusal = ledger.refused(request.ncm(), e, request.source(), from(request));
      reply.accept(NcmReply.of(refusal));
    }
  }

  private static String from(NcmRequest request) {
    return request.origin().map(origin -> origin.peer().host()).orElse(request.source());
  }

  /** Decides whether the flow that a TRIGGER asks for may be started. Answers 200 when it may. */
  public NcmReply trigger(TriggerRequest request) {
    try {
      triggers.decide(request);
    } catch (NcmException e) {
      return NcmReply.of(ledger.refused(request, e));
    }
    return NcmReply.of(ledger.accepted(request));
  }

  private NcmReply probe(NcmRequest request) throws NcmException {
    Ncm ncm = request.ncm();
    if (!ncm.has(Header.USER)) {
      capacity.load(request, Work.STRANGER);
    }
    Publisher publisher = null;
    if (ncm.has(Header.USER)) {
      publisher = admission.publisher(ncm);
      authentic(request, publisher);
      admission.date(ncm, loop.wall());
      if (ncm.has(Header.DELEGATION)) {
        String bytes = NcmLedger.sha256(ncm.signedBytes());
        delegates.within(request, publisher, bytes, loop.monotonic());
      }
    } else {
      NcmRules.check(ncm, true);
    }
    admission.addressed(request);
    ObjectNode data = probes.answer(ncm, Optional.ofNullable(publisher), request.origin());
    if (publisher != null) {
      Delegates.report(data, ncm, ledger.state());
    }
    return new NcmReply(new Answer(200, null, "here"), data);
  }

  /** Requires the signature of the publisher, or of a delegate of the publisher. */
  private void authentic(NcmRequest request, Publisher publisher) throws NcmException {
    Ncm ncm = request.ncm();
    if (ncm.has(Header.DELEGATION)) {
      Delegates.Clocks now = new Delegates.Clocks(loop.wall(), loop.monotonic());
      delegates.authentic(ncm, publisher, request.origin(), ledger.state(), now);
    } else {
      admission.signature(ncm, publisher, request.origin(), loop.monotonic());
    }
  }

  private void change(NcmRequest request, Consumer<NcmReply> reply) throws NcmException {
    Ncm ncm = request.ncm();
    if (!admission.knows(ncm)) {
      capacity.load(request, Work.UNKNOWN);
    }
    if (!ncm.has(Header.SIGNATURE)) {
      capacity.load(request, Work.UNSIGNED);
    }
    Publisher publisher = admission.publisher(ncm);
    authentic(request, publisher);
    admission.date(ncm, loop.wall());
    String bytes = NcmLedger.sha256(ncm.signedBytes());
    Optional<StateImage.Nonce> before = admission.repetition(ncm, bytes, ledger.state());
    if (before.isPresent()) {
      changes.repetitions().repeat(request, before.get().answer(), reply);
      return;
    }
    admission.seq(ncm, ledger.state(), loop.wall());
    if (ncm.has(Header.DELEGATION)) {
      delegates.within(request, publisher, bytes, loop.monotonic());
    }
    if (ncm.method() == Method.SETUP) {
      admission.rate(publisher, bytes, request.origin(), loop.monotonic());
      if (!admission.withinShare(publisher, loop.monotonic())) {
        capacity.load(request, Work.OVER_SHARE);
      }
    }
    admission.addressed(request);
    if (ncm.method() == Method.SETUP) {
      changes.setups().setup(request, publisher, bytes, reply);
    } else {
      changes.removals().remove(request, bytes, reply);
    }
  }

  /** Remembers the answer that a repetition of this message gets from now on. */
  public void remember(Ncm ncm, Answer answer) {
    ledger.memory().answered(ncm, answer);
  }
}
