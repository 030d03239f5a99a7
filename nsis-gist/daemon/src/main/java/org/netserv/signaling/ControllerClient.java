// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.netserv.frames.Json;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.ResponseEntry;
import org.netserv.values.Addresses;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client of the controller's signaling socket. It holds two connections, each of which carries at
 * most 64 requests at a time. Messages that wait for an end state may take long, so they use a
 * connection of their own. Quick requests (signatures, reports) use the other connection and are
 * never held up. Requests wait on separate threads, and answers are posted to the GIST thread.
 */
final class ControllerClient implements ControllerPort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ControllerClient.class);
  private static final int AT_A_TIME = 64;
  private static final int WAITING = 512;
  private static final int QUICK_THREADS = 4;
  private static final int QUICK_WAITING = 4096;
  private static final Duration SLACK = Duration.ofSeconds(2);
  private static final Duration QUICK = Duration.ofSeconds(5);

  private final Executor gistThread;
  private final ControllerLink messages;
  private final ControllerLink quick;
  private final ThreadPoolExecutor messageThreads;
  private final ThreadPoolExecutor quickThreads;

  /** Begins to connect. */
  ControllerClient(Path socket, String build, Executor gistThread) {
    this.gistThread = gistThread;
    messages = new ControllerLink(socket, build, "messages");
    quick = new ControllerLink(socket, build, "quick");
    messageThreads = threads("controller-ask", AT_A_TIME, WAITING);
    quickThreads = threads("controller-sign", QUICK_THREADS, QUICK_WAITING);
  }

  private static ThreadPoolExecutor threads(String name, int count, int waiting) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            count,
            count,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(waiting),
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  boolean connected() {
    return messages.connected() && quick.connected();
  }

  @Override
  public void ask(Question question, Consumer<Verdict> answer) {
    try {
      (question.quick() ? quickThreads : messageThreads)
          .execute(
              () -> {
                Verdict verdict = ask(question);
                gistThread.execute(() -> answer.accept(verdict));
              });
    } catch (RejectedExecutionException e) {
      gistThread.execute(() -> answer.accept(Verdict.AWAY));
    }
  }

  private Verdict ask(Question question) {
    try {
      ObjectNode reply =
          (question.quick() ? quick : messages)
              .request(request(question), Duration.ofMillis(question.waitMillis()).plus(SLACK));
      return reply == null ? Verdict.AWAY : verdict(reply);
    } catch (IOException e) {
      LOG.debug("controller: {}", e.getMessage());
      return Verdict.UNKNOWN;
    }
  }

  static ObjectNode request(Question question) {
    ObjectNode request =
        Json.object()
            .put("op", question.trigger() ? "trigger" : "ncm")
            .put("tlv", Base64.getEncoder().encodeToString(question.tlv()))
            .put("wait", question.waitMillis());
    ObjectNode path =
        request
            .putObject("path")
            .put("interface", question.interfaceIndex())
            .put("source", Addresses.print(question.source()))
            .put("destination", Addresses.print(question.destination()))
            .put("last", question.last());
    if (question.peer() != null) {
      path.put("peer", Addresses.print(question.peer()));
    }
    return request;
  }

  static Verdict verdict(ObjectNode reply) {
    if (!reply.path("ok").asBoolean()) {
      LOG.warn("controller: {}", reply.path("error").asText());
      return Verdict.UNKNOWN;
    }
    try {
      byte[] message =
          reply.path("message").isTextual()
              ? Base64.getDecoder().decode(reply.path("message").asText())
              : null;
      return Verdict.decided(
          reply.path("status").asInt(),
          reply.path("reason").asText(""),
          reply.path("ticket").isTextual() ? reply.path("ticket").asText() : null,
          message);
    } catch (IllegalArgumentException e) {
      LOG.warn("controller: message is not base64");
      return Verdict.UNKNOWN;
    }
  }

  @Override
  public void sign(String ticket, ResponseEntry below, Consumer<ResponseEntry> answer) {
    ObjectNode request = Json.object().put("op", "sign").put("ticket", ticket);
    if (below != null) {
      request.put("below", Base64.getEncoder().encodeToString(below.encode()));
    }
    try {
      quickThreads.execute(
          () -> {
            ResponseEntry entry = entry(request);
            gistThread.execute(() -> answer.accept(entry));
          });
    } catch (RejectedExecutionException e) {
      gistThread.execute(() -> answer.accept(null));
    }
  }

  private ResponseEntry entry(ObjectNode request) {
    try {
      ObjectNode reply = quick.request(request, QUICK);
      if (reply != null && reply.path("ok").asBoolean()) {
        return ResponseEntry.decode(Base64.getDecoder().decode(reply.path("entry").asText()));
      }
    } catch (IOException | NcmException | IllegalArgumentException e) {
      LOG.debug("controller: sign: {}", e.getMessage());
    }
    return null;
  }

  /** Messages that wait for a thread. */
  int waiting() {
    return messageThreads.getQueue().size() + quickThreads.getQueue().size();
  }

  /** The most messages that may wait. */
  static int waitingMax() {
    return WAITING + QUICK_WAITING;
  }

  /**
   * Sends this daemon's counters to the controller. The report may be lost.
   *
   * @param answer gets the answer, if one comes
   */
  void report(ObjectNode report, Consumer<ObjectNode> answer) {
    try {
      quickThreads.execute(
          () -> {
            try {
              ObjectNode reply = quick.request(report, QUICK);
              if (reply != null) {
                gistThread.execute(() -> answer.accept(reply));
              }
            } catch (IOException e) {
              LOG.debug("controller: report: {}", e.getMessage());
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("controller: report: too much waits");
    }
  }

  @Override
  public void close() {
    messageThreads.shutdownNow();
    quickThreads.shutdownNow();
    messages.close();
    quick.close();
  }
}
