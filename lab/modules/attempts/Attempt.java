// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.nio.charset.StandardCharsets;
import java.util.Hashtable;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/**
 * An act that a module must not be able to do. It is made when a packet says so:
 *
 * <pre>
 *   run ARGUMENT   begins, on a thread of its own
 *   get            its result: NONE, PENDING, SUCCEEDED detail, DENIED detail
 * </pre>
 *
 * The answer is the packet itself, turned around. Other packets go to {@link #other}.
 */
public abstract class Attempt implements BundleActivator, PktProcessor {
  private static final int LONGEST = 300;

  private volatile String outcome = "NONE";

  /**
   * Makes the attempt.
   *
   * @param argument the rest of the order
   * @return the gain, as text
   * @throws Exception if the attempt is denied
   */
  protected abstract String attempt(String argument) throws Exception;

  /** Handles a packet that is no order. */
  protected Decision other(Packet packet, Decision decision) {
    return decision.pass("no order");
  }

  /** Returns an exception for a denial that throws none of its own. */
  protected static Exception denied(String what) {
    return new IllegalStateException(what);
  }

  @Override
  public void start(BundleContext context) throws Exception {
    context.registerService(PktProcessor.class, this, new Hashtable<>());
  }

  @Override
  public void stop(BundleContext context) {}

  @Override
  public Decision process(Packet packet, Decision decision) {
    byte[] bytes = new byte[packet.payloadLength()];
    packet.get(packet.payloadOffset(), bytes, 0, bytes.length);
    String order = new String(bytes, StandardCharsets.US_ASCII);
    if (order.startsWith("run ")) {
      outcome = "PENDING";
      Thread thread = new Thread(() -> outcome = outcome(order.substring(4)), "attempt");
      thread.setDaemon(true);
      thread.start();
    } else if (!order.equals("get")) {
      return other(packet, decision);
    }
    byte[] answer = outcome.getBytes(StandardCharsets.US_ASCII);
    packet.swapEndpoints();
    packet.setPayload(answer, 0, answer.length);
    return decision.changed("answer");
  }

  private String outcome(String argument) {
    String text;
    try {
      text = "SUCCEEDED " + attempt(argument);
    } catch (Throwable e) {
      // Errors count, too, because some limits of the virtual machine throw an error.
      Throwable cause = e.getCause() == null ? e : e.getCause();
      text = "DENIED " + (cause instanceof IllegalStateException ? cause.getMessage() : cause);
    }
    text = text.replace('\n', ' ');
    return text.length() > LONGEST ? text.substring(0, LONGEST) : text;
  }

  /**
   * Makes the same attempt in a plain virtual machine with other options: {@code CLASS ARGUMENT}.
   */
  public static void main(String[] args) throws Exception {
    Class<?> type = Class.forName(Attempt.class.getPackageName() + "." + args[0]);
    Attempt attempt = (Attempt) type.getDeclaredConstructor().newInstance();
    System.out.println(attempt.outcome(args[1]));
    System.exit(0);
  }
}
