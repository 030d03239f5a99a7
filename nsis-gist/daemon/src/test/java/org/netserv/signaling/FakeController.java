// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.ResponseEntry;
import org.netserv.ncm.ResponseStack;
import org.netserv.signaling.ControllerPort.Verdict.Kind;
import org.netserv.values.Addresses;
import org.netserv.values.NodeIdentity;

/** A controller with a key, which answers when the test says so. */
final class FakeController implements ControllerPort {
  static final InetAddress ADDRESS = Addresses.of(new byte[] {(byte) 192, 0, 2, 1});

  final NodeIdentity identity = NodeIdentity.generate(new SecureRandom());
  final List<Question> questions = new ArrayList<>();
  final List<Consumer<Verdict>> answers = new ArrayList<>();
  final List<ResponseEntry> below = new ArrayList<>();
  boolean signs = true;
  private final Map<String, Integer> tickets = new HashMap<>();
  private Consumer<ResponseEntry> heldSignature;

  @Override
  public void ask(Question question, Consumer<Verdict> answer) {
    questions.add(question);
    answers.add(answer);
  }

  @Override
  public void sign(String ticket, ResponseEntry under, Consumer<ResponseEntry> answer) {
    below.add(under);
    if (!signs) {
      heldSignature = answer;
      return;
    }
    answer.accept(entry(tickets.get(ticket), under));
  }

  /** Answers a question with a status. */
  void decide(int index, int status) {
    decide(index, status, null);
  }

  void decide(int index, int status, byte[] message) {
    String ticket = status == 421 ? null : "t" + index;
    tickets.putIfAbsent("t" + index, status);
    answers.get(index).accept(new Verdict(Kind.DECIDED, status, "because", ticket, message));
  }

  void say(int index, Verdict verdict) {
    answers.get(index).accept(verdict);
  }

  /** The signature that was asked for while {@link #signs} was off. */
  void signNow() {
    heldSignature.accept(entry(200, null));
  }

  ResponseEntry entry(int status, ResponseEntry under) {
    try {
      ResponseStack stack = under == null ? ResponseStack.EMPTY : ResponseStack.of(List.of(under));
      List<ResponseEntry> entries =
          stack.push(identity, new byte[0], ADDRESS, status, "").entries();
      return entries.get(entries.size() - 1);
    } catch (NcmException e) {
      throw new AssertionError(e);
    }
  }
}
