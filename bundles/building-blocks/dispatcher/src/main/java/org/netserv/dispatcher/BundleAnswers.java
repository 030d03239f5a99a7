// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.netserv.packet.Answer;
import org.netserv.packet.AnswerTemplate;
import org.netserv.packet.Answers;

/** The answers by template that one bundle has made. They end with the bundle. */
final class BundleAnswers implements Answers, OfBundle {

  private final RelayTable table;
  private final Set<AskedAnswer> made = ConcurrentHashMap.newKeySet();

  BundleAnswers(RelayTable table) {
    this.table = table;
  }

  @Override
  public boolean available() {
    return unavailable().isEmpty();
  }

  @Override
  public String unavailable() {
    return table.answersUnavailable();
  }

  @Override
  public int free() {
    return available() ? table.free() : 0;
  }

  @Override
  public Answer make(AnswerTemplate template) {
    int place = available() ? table.take() : -1;
    if (place < 0) {
      return null;
    }
    AskedAnswer answer = new AskedAnswer(table, place, template, made::remove);
    made.add(answer);
    return answer;
  }

  @Override
  public long nowMicros() {
    return TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
  }

  @Override
  public void close() {
    made.forEach(AskedAnswer::withdraw);
  }
}
