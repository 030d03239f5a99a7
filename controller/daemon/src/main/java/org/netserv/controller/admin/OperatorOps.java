// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import org.netserv.controller.log.LogException;
import org.netserv.controller.log.LogRecord;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.log.NcmLog;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.module.ModuleLife;
import org.netserv.controller.module.Modules;
import org.netserv.controller.ncm.AuditLog;
import org.netserv.frames.Json;

/**
 * The operator's own verbs about modules and publishers. Each leaves a line in the audit log. On
 * the loop.
 */
public final class OperatorOps {
  /** Milliseconds that an answer waits for the end of a release. */
  private static final long WAIT = 30_000;

  private final Loop loop;
  private final Modules modules;
  private final NcmLog log;
  private final AuditLog audit;

  public OperatorOps(Loop loop, Modules modules, NcmLog log, AuditLog audit) {
    this.loop = loop;
    this.modules = modules;
    this.log = log;
    this.audit = audit;
  }

  /** Releases a quarantined module, and answers when it runs again or has failed. */
  void release(ObjectNode request, String source, AdminServer.Reply reply) {
    String module = request.path("module").asText("");
    String publisher = request.path("publisher").asText("");
    List<ModuleKey> keys =
        modules.lives().stream()
            .map(ModuleLife::key)
            .filter(key -> key.module().equals(module))
            .filter(key -> publisher.isEmpty() || key.user().equals(publisher))
            .distinct()
            .toList();
    if (keys.size() != 1) {
      reply.send(
          AdminOps.error(
              keys.isEmpty()
                  ? "module: there is no module '" + module + "' here"
                  : "publisher: several have a module '" + module + "': " + keys));
      return;
    }
    ModuleKey key = keys.get(0);
    Once once = new Once(reply);
    Optional<Answer> refusal = modules.release(key, once::tell);
    Answer answer = refusal.orElse(new Answer(202, null, "released by the operator"));
    audit("RELEASE", key.user(), key.module(), source, answer);
    refusal.ifPresent(once::tell);
  }

  /**
   * Forgets the last sequence numbers of a publisher, of one module or of all. The log makes it
   * durable.
   */
  void resetSeq(ObjectNode request, String source, AdminServer.Reply reply) {
    String publisher = request.path("publisher").asText("");
    String module = request.path("module").asText(null);
    List<String> known =
        log.snapshot().seqsOf(publisher).stream()
            .filter(name -> module == null || name.equals(module) || name.startsWith(module + " "))
            .toList();
    if (known.isEmpty()) {
      reply.send(
          AdminOps.error(
              "publisher: no sequence number of '"
                  + publisher
                  + "'"
                  + (module == null ? "" : " for '" + module + "'")
                  + " is remembered"));
      return;
    }
    try {
      log.append(List.of(new LogRecord.SeqReset(loop.wall(), publisher, module)));
    } catch (LogException e) {
      reply.send(AdminOps.error("this node cannot write its log; nothing was done"));
      return;
    }
    audit("RESET-SEQ", publisher, module, source, new Answer(200, null, "forgotten: " + known));
    ObjectNode answer = Json.object().put("ok", true);
    known.forEach(answer.putArray("modules")::add);
    reply.send(answer);
  }

  /**
   * Answers once: with the end state or, after some time, with the word that the release is under
   * way.
   */
  private final class Once {
    private final AdminServer.Reply reply;
    private final Loop.Timer timer;
    private boolean told;

    Once(AdminServer.Reply reply) {
      this.reply = reply;
      this.timer = loop.after(WAIT, () -> tell(new Answer(202, null, "released, and under way")));
    }

    void tell(Answer answer) {
      if (!told) {
        told = true;
        timer.cancel();
        reply.send(told(answer));
      }
    }
  }

  private static ObjectNode told(Answer answer) {
    return answer.status() < 300
        ? Json.object()
            .put("ok", true)
            .put("status", answer.status())
            .put("reason", answer.reason())
        : AdminOps.error(answer.reason()).put("status", answer.status());
  }

  private void audit(String method, String user, String module, String source, Answer answer) {
    audit.add(
        AuditLog.line(loop.wall())
            .put("source", source)
            .put("method", method)
            .put("module", module)
            .put("user", user)
            .put("status", answer.status())
            .put("reason", answer.reason()));
  }
}
