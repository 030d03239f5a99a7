// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.netserv.controller.fastpath.Counting;
import org.netserv.controller.isolation.Isolation;
import org.netserv.controller.job.Jobs;
import org.netserv.controller.job.NotifyOrder;
import org.netserv.controller.limit.Limits;
import org.netserv.controller.log.DesiredModule;
import org.netserv.controller.log.LogRecord;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.log.NcmLog;
import org.netserv.controller.log.StateImage;
import org.netserv.controller.log.Storage;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.module.ModuleOrder;
import org.netserv.controller.module.ModuleState;
import org.netserv.controller.module.Modules;
import org.netserv.filter.FlowFilter;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmRules;
import org.netserv.process.Overload;
import org.netserv.process.Work;

/**
 * Turns a message into an answer: authenticate, authorise, remember, act. A refusal changes
 * nothing, is counted and leaves one line in the audit log. An acceptance leaves a line as well,
 * and is durable before anything is done about it. Lives on the loop.
 */
public final class NcmService {
  /** No sender waits longer than this. */
  public static final long WAIT_MAX = 120_000;

  private static final long TICK_MILLIS = 60_000;

  private final Loop loop;
  private final NcmLog log;
  private final Modules modules;
  private final Jobs jobs;
  private final NcmAdmission admission;
  private final TriggerAdmission triggers;
  private final OrderFactory orders;
  private final ProbeAnswers probes;
  private final Audit audit;
  private final Storage storage;
  private final Overload overload;
  private final Refusals refusals = new Refusals();
  private final BooleanSupplier able;
  private final NcmMemory memory;
  private final String nodeId;

  /**
   * Connects the parts that messages are handed on to.
   *
   * @param able whether the node can start containers now
   */
  public NcmService(
      Loop loop,
      NcmLog log,
      Modules modules,
      Jobs jobs,
      Publishers publishers,
      OrderFactory orders,
      BlockProfile profile,
      Isolation isolation,
      Limits limits,
      Counting counting,
      ProbeAnswers probes,
      AuditLog audit,
      Storage storage,
      Overload overload,
      BooleanSupplier able,
      String nodeId) {
    this.loop = loop;
    this.log = log;
    this.modules = modules;
    this.jobs = jobs;
    this.orders = orders;
    this.probes = probes;
    this.audit = new Audit(loop, audit);
    this.storage = storage;
    this.overload = overload;
    this.able = able;
    this.memory = new NcmMemory(loop, log, publishers);
    this.nodeId = nodeId;
    this.admission =
        new NcmAdmission(
            publishers, Signatures::verifies, profile, isolation, limits, counting, nodeId);
    this.triggers = new TriggerAdmission(loop, publishers, admission, nodeId);
  }

  /** Holds back room on the disk now, and tidies up once a minute from now on. */
  public void start() {
    storage.keep();
    tick();
  }

  private void tick() {
    loop.after(
        TICK_MILLIS,
        () -> {
          log.forget(loop.wall());
          triggers.forget();
          storage.keep();
          audit.tick();
          tick();
        });
  }

  /** Returns the reason why no new SETUP is accepted now, if the disk is the cause. */
  public Optional<String> storage() {
    Optional<String> full = storage.full();
    return full.isEmpty() && audit.failing()
        ? Optional.of("the audit log cannot be written")
        : full;
  }

  public Refusals refusals() {
    return refusals;
  }

  /** Refuses a message that does not even parse. */
  public NcmReply malformed(NcmException why, String source) {
    return NcmReply.of(refused(null, why, source, source));
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
      reply.accept(NcmReply.of(refused(request.ncm(), e, request.source(), from(request))));
    }
  }

  /** Decides whether the flow that a TRIGGER asks for may be started. Answers 200 when it may. */
  public NcmReply trigger(TriggerRequest request) {
    String sha256 = sha256(request.trigger().encode());
    try {
      triggers.decide(request);
    } catch (NcmException e) {
      Answer answer = answer(e);
      refusals.count(answer);
      audit.refused(
          "TRIGGER",
          request.trigger().message(),
          sha256,
          request.source(),
          request.origin().peer().host(),
          answer);
      return NcmReply.of(answer);
    }
    Answer answer = new Answer(200, null, "started");
    audit.accepted("TRIGGER", request.trigger().message(), sha256, request.source(), answer);
    return NcmReply.of(answer);
  }

  /** Refuses work that the node has no room for. Work from the node itself is let in. */
  private void load(NcmRequest request, Work work) throws NcmException {
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

  private NcmReply probe(NcmRequest request) throws NcmException {
    Ncm ncm = request.ncm();
    if (!ncm.has(Header.USER)) {
      load(request, Work.STRANGER);
    }
    Publisher publisher = null;
    if (ncm.has(Header.USER)) {
      publisher = admission.publisher(ncm);
      admission.signature(ncm, publisher, request.origin(), loop.monotonic());
      admission.date(ncm, loop.wall());
    } else {
      NcmRules.check(ncm, true);
    }
    admission.addressed(request);
    ObjectNode data = probes.answer(ncm, Optional.ofNullable(publisher), request.origin());
    return new NcmReply(new Answer(200, null, "here"), data);
  }

  private void change(NcmRequest request, Consumer<NcmReply> reply) throws NcmException {
    Ncm ncm = request.ncm();
    if (!admission.knows(ncm)) {
      load(request, Work.UNKNOWN);
    }
    if (!ncm.has(Header.SIGNATURE)) {
      load(request, Work.UNSIGNED);
    }
    Publisher publisher = admission.publisher(ncm);
    admission.signature(ncm, publisher, request.origin(), loop.monotonic());
    admission.date(ncm, loop.wall());
    String bytes = sha256(ncm.signedBytes());
    Optional<StateImage.Nonce> before = admission.repetition(ncm, bytes, log.snapshot());
    if (before.isPresent()) {
      repeat(request, before.get().answer(), reply);
      return;
    }
    admission.seq(ncm, log.snapshot(), loop.wall());
    if (ncm.method() == Method.SETUP) {
      admission.rate(publisher, bytes, request.origin(), loop.monotonic());
      if (!admission.withinShare(publisher, loop.monotonic())) {
        load(request, Work.OVER_SHARE);
      }
    }
    admission.addressed(request);
    if (ncm.method() == Method.SETUP) {
      setup(request, publisher, bytes, reply);
    } else {
      remove(request, bytes, reply);
    }
  }

  /**
   * Sends the stored answer again. While that answer is "under way", the end state is sent if it
   * comes in time.
   */
  private void repeat(NcmRequest request, Answer stored, Consumer<NcmReply> reply) {
    Once once = new Once(request.waitMillis(), reply);
    Ncm ncm = request.ncm();
    boolean waits =
        stored.status() == 202
            && ncm.method() == Method.SETUP
            && modules.await(NcmAdmission.key(ncm), once::finish);
    if (!waits) {
      once.finish(stored.status() == 202 ? forgotten(ncm).orElse(stored) : stored);
    }
  }

  /**
   * Returns the answer to an accepted message that has ended without a recorded answer. The
   * controller was killed between the end and the answer, and the log tells the end.
   */
  private Optional<Answer> forgotten(Ncm ncm) {
    boolean gone =
        ncm.name().equals("*")
            ? log.snapshot().modulesOf(ncm.get(Header.USER)).isEmpty()
            : log.snapshot()
                .module(NcmAdmission.key(ncm))
                .filter(m -> m.claim(NcmAdmission.session(ncm)).isPresent())
                .isEmpty();
    if (!gone || modules.busy(NcmAdmission.key(ncm)).isPresent()) {
      return Optional.empty();
    }
    Answer answer =
        ncm.method() == Method.REMOVE
            ? new Answer(200, null, "removed")
            : new Answer(500, null, "it ended while the node was restarted; send another SETUP");
    remember(ncm, answer);
    return Optional.of(answer);
  }

  // ---- SETUP

  private void setup(
      NcmRequest request, Publisher publisher, String bytes, Consumer<NcmReply> reply)
      throws NcmException {
    Ncm ncm = request.ncm();
    ModuleKey key = NcmAdmission.key(ncm);
    admission.isolation(publisher);
    admission.dependencies(ncm);
    List<FlowFilter> filters = admission.policy(ncm, publisher, log.snapshot());
    Optional<String> busy = modules.busy(key);
    if (busy.isPresent()) {
      throw NcmAdmission.refusal(409, null, busy.get());
    }
    admission.sameBundle(ncm, log.snapshot());
    if (!able.getAsBoolean()) {
      throw NcmAdmission.refusal(503, null, "this node cannot start containers now; try again");
    }
    Optional<DesiredModule> present = log.snapshot().module(key);
    boolean refresh =
        present
            .filter(m -> m.confirmed() && m.current().version().equals(ncm.version()))
            .isPresent();
    if (refresh) {
      atWork(key);
    } else {
      room();
    }
    ModuleOrder order =
        orders.order(ncm, filters, present.map(DesiredModule::since).orElse(loop.wall()));
    admission.counting(order);
    List<LogRecord> before = present.map(m -> memory.asItIs(m, ncm)).orElse(List.of());
    memory.setup(ncm, publisher, bytes);
    accepted(request);
    Once once = new Once(request.waitMillis(), reply);
    Consumer<Answer> settled =
        answer -> {
          remember(ncm, answer);
          once.finish(answer);
        };
    if (refresh) {
      modules.refresh(order, settled, () -> undoRefresh(key, ncm.version(), before));
    } else {
      modules.setup(order, settled);
    }
  }

  /** Refuses a new module early, so that there is room left for the modules that run. */
  private void room() throws NcmException {
    load(Work.PUBLISHER);
    Optional<String> full = storage();
    if (full.isPresent()) {
      throw NcmAdmission.refusal(507, null, full.get());
    }
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
    Optional<String> bypassed = modules.bypassed(key);
    if (bypassed.isPresent()) {
      throw NcmAdmission.refusal(503, null, bypassed.get() + "; try again");
    }
  }

  private void undoRefresh(ModuleKey key, String version, List<LogRecord> before) {
    Optional<DesiredModule> module = log.snapshot().module(key);
    if (module.filter(m -> m.current().version().equals(version)).isEmpty()) {
      return; // Removed or replaced meanwhile.
    }
    memory.append(before);
    if (log.snapshot().module(key).isEmpty()) {
      modules.remove(
          key, ModuleState.EXPIRED, new Answer(410, "ttl", "its last claim ran out"), () -> {});
    }
  }

  // ---- REMOVE

  private void remove(NcmRequest request, String bytes, Consumer<NcmReply> reply)
      throws NcmException {
    Ncm ncm = request.ncm();
    String user = ncm.get(Header.USER);
    String session = NcmAdmission.session(ncm);
    admission.present(ncm, session, log.snapshot());
    List<ModuleKey> before =
        log.snapshot().modulesOf(user).stream().map(DesiredModule::key).toList();
    memory.remove(ncm, bytes);
    accepted(request);
    List<ModuleKey> gone = before.stream().filter(k -> log.snapshot().module(k).isEmpty()).toList();
    Once once = new Once(request.waitMillis(), reply);
    if (gone.isEmpty()) {
      int others =
          log.snapshot().module(NcmAdmission.key(ncm)).map(m -> m.claims().size()).orElse(0);
      removed(
          ncm,
          new Answer(200, null, "claim dropped; " + others + " other claims keep the module"),
          once);
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

  private void removed(Ncm ncm, Answer answer, Once once) {
    remember(ncm, answer);
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

  // ---- answers, and their lines in the audit log

  /** Remembers the answer that a repetition of this message gets from now on. */
  public void remember(Ncm ncm, Answer answer) {
    memory.answered(ncm, answer);
  }

  private void accepted(NcmRequest request) {
    Ncm ncm = request.ncm();
    audit.accepted(
        ncm.method().name(),
        ncm,
        sha256(ncm.signedBytes()),
        request.source(),
        new Answer(202, null, "accepted"));
  }

  private static String from(NcmRequest request) {
    return request.origin().map(origin -> origin.peer().host()).orElse(request.source());
  }

  private Answer refused(Ncm ncm, NcmException why, String source, String from) {
    Answer answer = answer(why);
    refusals.count(answer);
    audit.refused(
        ncm == null ? null : ncm.method().name(),
        ncm,
        ncm == null ? null : sha256(ncm.signedBytes()),
        source,
        from,
        answer);
    return answer;
  }

  private static Answer answer(NcmException why) {
    return new Answer(why.status(), why.header().map(Header::text).orElse(null), why.reason());
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Answers once, with the end state or, when the sender's time is over, with 202. */
  private final class Once {
    private final Consumer<NcmReply> reply;
    private final Loop.Timer timer;
    private boolean done;

    Once(long waitMillis, Consumer<NcmReply> reply) {
      this.reply = reply;
      long wait = Math.max(0, Math.min(WAIT_MAX, waitMillis));
      this.timer = loop.after(wait, () -> finish(new Answer(202, null, "accepted and under way")));
    }

    void finish(Answer answer) {
      if (!done) {
        done = true;
        timer.cancel();
        reply.accept(NcmReply.of(answer));
      }
    }
  }
}
