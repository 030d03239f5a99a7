// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.concurrent.TimeUnit;
import org.netserv.packet.Answer;
import org.netserv.packet.AnswerTemplate;
import org.netserv.packet.Answers;

/** The answers by template that one bundle has made. They end with the bundle. */
final class BundleAnswers extends OfBundle<AskedAnswer> implements Answers {
  BundleAnswers(RelayTable table) {
    super(table, AskedAnswer::withdraw);
  }

  @Override
  public String unavailable() {
    return table.answersUnavailable();
  }

  @Override
  public Answer make(AnswerTemplate template) {
    return make(place -> new AskedAnswer(table, place, template, this::forget));
  }

  @Override
  public long nowMicros() {
    return TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
  }
}
