// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.netserv.gist.port.Timers;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.ResponseEntry;
import org.netserv.ncm.ResponseStack;
import org.netserv.nslp.Carried;
import org.netserv.signaling.ControllerPort.Verdict.Kind;
import org.netserv.values.NodeIdentity;

/** A controller that admits everything once, and answers a little later. */
final class SimController implements ControllerPort {
  private static final long THINKS = 5;

  final NodeIdentity identity = NodeIdentity.generate(new SecureRandom());

  /** Nonces of messages that it acted on: each once, however often it was asked. */
  final Set<String> installed = new TreeSet<>();

  final List<Question> questions = new ArrayList<>();
  private final Timers clock;
  private final Map<String, byte[]> tickets = new HashMap<>();

  SimController(Timers clock) {
    this.clock = clock;
  }

  @Override
  public void ask(Question question, Consumer<Verdict> answer) {
    questions.add(question);
    Verdict verdict = decide(question);
    clock.schedule(THINKS, () -> answer.accept(verdict));
  }

  private Verdict decide(Question question) {
    try {
      Carried carried = Carried.decode(question.tlv());
      boolean trigger = question.trigger();
      if (!trigger && !carried.ncm().addressedTo(identity.nodeId(), question.last())) {
        return new Verdict(Kind.DECIDED, 421, "not addressed", null, null);
      }
      byte[] nonce =
          trigger ? carried.trigger().nonce() : carried.ncm().nonce().orElse(new byte[0]);
      installed.add(java.util.HexFormat.of().formatHex(nonce));
      String ticket = "t" + questions.size();
      tickets.put(ticket, nonce);
      byte[] inside = trigger ? NcmBinary.encode(carried.ncm()) : null;
      return Verdict.decided(200, "done", ticket, inside);
    } catch (NcmException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void sign(String ticket, ResponseEntry below, Consumer<ResponseEntry> answer) {
    try {
      ResponseStack stack = below == null ? ResponseStack.EMPTY : ResponseStack.of(List.of(below));
      List<ResponseEntry> entries =
          stack.push(identity, tickets.get(ticket), FakeController.ADDRESS, 200, "").entries();
      clock.schedule(1, () -> answer.accept(entries.get(entries.size() - 1)));
    } catch (NcmException e) {
      throw new AssertionError(e);
    }
  }
}
