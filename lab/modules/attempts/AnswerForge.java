// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.net.InetAddress;
import java.util.List;
import org.netserv.packet.Answer;
import org.netserv.packet.AnswerTemplate;
import org.netserv.packet.Answers;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.Relay;
import org.osgi.framework.BundleContext;

/**
 * Asks the kernel to answer a flow by a template: {@code AGENT PORT SERVER PORT}, or {@code AGENT
 * PORT} for those that the order was sent to. The module asks with its decision about a packet that
 * it sees, whatever flow the template is of. The attempt succeeds if the kernel takes the template.
 */
public final class AnswerForge extends Attempt {
  private static final int SECONDS = 30;
  private static final int TURNS = 100;
  private static final int TURN_MILLIS = 50;
  private static final long MAPPED = 0xffffL << 32;

  private BundleContext context;
  private volatile long server; // that the last order was sent to
  private volatile int port;
  private volatile Answer next; // to be handed over with the next packet

  @Override
  public void start(BundleContext given) throws Exception {
    context = given;
    super.start(given);
  }

  @Override
  protected String attempt(String argument) throws Exception {
    String[] words = argument.split(" ", -1);
    Answers answers = context.getService(context.getServiceReference(Answers.class));
    for (int i = 0; i < TURNS && !answers.available(); i++) {
      Thread.sleep(TURN_MILLIS);
    }
    AnswerTemplate.Pair pair =
        new AnswerTemplate.Pair(
            4,
            0,
            low(words[0]),
            0,
            words.length > 2 ? low(words[2]) : server,
            number(words[1]),
            words.length > 2 ? number(words[3]) : port);
    byte[] bytes = {'p', 'i', 'n', 'g', '?', '?', '?', '?'};
    Answer answer =
        answers.make(new AnswerTemplate(pair, bytes, bytes, List.of(), AnswerTemplate.NO_TAG));
    if (answer == null) {
      throw denied("not asked: " + answers.unavailable());
    }
    next = answer;
    try {
      return end(answer);
    } finally {
      answer.withdraw();
    }
  }

  private static String end(Answer asked) throws Exception {
    for (int i = 0; i < TURNS && asked.state() == Relay.State.ASKED; i++) {
      Thread.sleep(TURN_MILLIS);
    }
    if (asked.state() != Relay.State.ACTIVE) {
      String refusal = asked.refusal();
      throw denied(refusal.isEmpty() ? asked.state().toString() : "refused: " + refusal);
    }
    return "in the kernel";
  }

  /** Hands the answer over once, with a packet that is perhaps an order of this attempt. */
  @Override
  public Decision process(Packet packet, Decision decision) {
    server = packet.destinationLow();
    port = packet.destinationPort();
    Decision made = super.process(packet, decision);
    Answer present = next;
    if (present == null) {
      return made;
    }
    next = null;
    return made.answerNext(present, 0, SECONDS);
  }

  private static int number(String text) {
    return Integer.parseInt(text);
  }

  private static long low(String text) throws Exception {
    long low = MAPPED;
    byte[] address = InetAddress.getByName(text).getAddress();
    for (int i = 0; i < address.length; i++) {
      low |= (address[i] & 0xffL) << Byte.SIZE * (address.length - 1 - i);
    }
    return low;
  }
}
