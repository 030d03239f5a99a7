// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Questions of the node's operator about the rules of a service router. A module that registers a
 * board as an OSGi service under this class looks at the board from time to time, on the thread
 * that has its rules, and answers. No code of the module runs on the thread that asks.
 */
public final class RuleBoard {
  private static final int WAITING = 4;

  private final BlockingQueue<Question> questions = new ArrayBlockingQueue<>(WAITING);

  /**
   * A rule as an operator sees it.
   *
   * @param prefix 64 hexadecimal digits
   * @param bits of the prefix that count
   * @param action {@code forward}, {@code demux}, {@code delay} or {@code drop}
   * @param target address and port; empty if the action has none
   * @param origin its kind and name
   * @param seconds until the rule ends; -1 if it does not
   * @param preference between origins, higher first
   * @param priority between rules of one preference, higher first
   * @param weight the share among rules of one rank
   * @param hits packets that the module has sent by the rule; the kernel's are not in it
   * @param inKernel whether the kernel routes by the rule, too
   */
  public record Entry(
      String prefix,
      int bits,
      String action,
      String target,
      String origin,
      long seconds,
      int preference,
      int priority,
      int weight,
      long hits,
      boolean inKernel) {}

  /**
   * An answer.
   *
   * @param count of all rules that were asked for
   * @param entries the first of them
   */
  public record Page(int count, List<Entry> entries) {
    /** Copies the list. */
    public Page {
      entries = List.copyOf(entries);
    }
  }

  /** A question that waits for its answer. */
  public static final class Question {
    private final String id;
    private final int most;
    private final CompletableFuture<Page> answer = new CompletableFuture<>();

    private Question(String id, int most) {
      this.id = id;
      this.most = most;
    }

    /**
     * Returns the serviceID whose rules are asked for, with the longest prefix first and the
     * highest rank before others. Null asks for all rules in the order of their prefixes.
     */
    public String id() {
      return id;
    }

    /** Returns the number of entries that the answer may have. */
    public int most() {
      return most;
    }

    /** Answers the question. */
    public void answer(Page page) {
      answer.complete(page);
    }
  }

  /** Returns the next question, null if there is none. */
  public Question next() {
    return questions.poll();
  }

  /**
   * Asks a question, and waits for the answer. Any thread.
   *
   * @param id as {@link Question#id}
   * @return null without an answer in this time, or while several questions wait
   * @throws InterruptedException if the thread is told to end
   */
  public Page ask(String id, int most, Duration patience) throws InterruptedException {
    Question question = new Question(id, most);
    if (!questions.offer(question)) {
      return null;
    }
    try {
      return question.answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      questions.remove(question);
      return null;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // nobody answers so
    }
  }
}
