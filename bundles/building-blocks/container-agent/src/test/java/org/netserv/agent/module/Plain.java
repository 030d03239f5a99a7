// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent.module;

import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;
import org.netserv.packet.RuleBoard;
import org.netserv.packet.Stolen;
import org.netserv.packet.Tally;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.ServiceFactory;

/** Base of the modules here: registers itself. */
public abstract class Plain implements BundleActivator, PktProcessor {
  @Override
  public void start(BundleContext context) throws Exception {
    context.registerService(
        PktProcessor.class, this, FrameworkUtil.asDictionary(Map.of(RANK, rank())));
  }

  @Override
  public void stop(BundleContext context) throws Exception {}

  int rank() {
    return 0;
  }

  /** Leaves a mark when its class is initialized. */
  public static final class Marked extends Plain {
    static {
      System.setProperty("test.marked", "yes");
    }

    @Override
    public Decision process(Packet packet, Decision decision) {
      return decision.pass("marked");
    }
  }

  /** Turns packets around and shortens their payload. */
  public static final class Turn extends Plain {
    @Override
    public Decision process(Packet packet, Decision decision) {
      packet.swapEndpoints();
      packet.setPayloadLength(2);
      return decision.changed("turned");
    }
  }

  /** Runs before {@link Turn}; drops TTL 1, passes the rest. */
  public static final class First extends Plain {
    @Override
    int rank() {
      return -5;
    }

    @Override
    public Decision process(Packet packet, Decision decision) {
      return packet.ttl() == 1 ? decision.drop("ttl") : decision.pass("fine");
    }
  }

  /** Changes the packet, then overflows the stack. */
  public static final class Overflow extends Plain {
    @Override
    public Decision process(Packet packet, Decision decision) {
      packet.setTtl(1);
      return packet.length() == 0 ? decision.drop() : process(packet, decision);
    }
  }

  /** Steals each packet and answers on another thread with one that is longer. */
  public static final class Thief extends Plain {
    @Override
    public Decision process(Packet packet, Decision decision) {
      return decision.steal("later", handle -> answer(packet.retain(), handle));
    }

    private static void answer(Packet copy, Stolen handle) {
      new Thread(
              () -> {
                copy.setPayload(new byte[300], 0, 300);
                handle.change(copy.toBytes());
              })
          .start();
    }
  }

  /** Shows rules: answers the questions of its board on a thread of its own. */
  public static final class Ruler extends Plain {
    private final RuleBoard board = new RuleBoard();
    private final Thread thread = new Thread(this::answer);

    @Override
    public void start(BundleContext context) throws Exception {
      super.start(context);
      context.registerService(RuleBoard.class, board, null);
      thread.setDaemon(true);
      thread.start();
    }

    @Override
    public void stop(BundleContext context) {
      thread.interrupt();
    }

    @Override
    public Decision process(Packet packet, Decision decision) {
      return decision.pass("ruled");
    }

    @SuppressWarnings("BusyWait") // a module has a selector of its own here
    private void answer() {
      try {
        while (!Thread.currentThread().isInterrupted()) {
          RuleBoard.Question question = board.next();
          if (question == null) {
            Thread.sleep(5);
          } else if (!"dead".equals(question.id())) {
            question.answer(page(question));
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** Returns more than is asked for, with texts that are too long. */
    private static RuleBoard.Page page(RuleBoard.Question question) {
      String id = question.id() == null ? "0" : question.id();
      long seconds = question.id() == null ? -1 : 7;
      RuleBoard.Entry entry =
          new RuleBoard.Entry(
              id, 32, "forward", "192.0.2.1:9", "o".repeat(99), seconds, 1, 2, 3, 4, true);
      return new RuleBoard.Page(1000, Collections.nCopies(question.most() + 5, entry));
    }
  }

  /** Shows two tallies of its own, and a third one that a factory would make. */
  public static final class Counter extends Plain {
    @Override
    public void start(BundleContext context) throws Exception {
      super.start(context);
      Tally<TimeUnit> first = new Tally<>(TimeUnit.class);
      Tally<TimeUnit> second = new Tally<>(TimeUnit.class);
      first.count(TimeUnit.SECONDS);
      first.count(TimeUnit.SECONDS);
      second.count(TimeUnit.SECONDS);
      second.count(TimeUnit.DAYS);
      context.registerService(Tally.class, first, null);
      context.registerService(Tally.class, second, null);
      context.registerService(Tally.class.getName(), factory(), null);
    }

    /** Makes a factory without a class of its own, which the bundle would lack. */
    private static Object factory() {
      return Proxy.newProxyInstance(
          Counter.class.getClassLoader(),
          new Class<?>[] {ServiceFactory.class},
          (proxy, method, arguments) ->
              switch (method.getName()) {
                case "hashCode" -> System.identityHashCode(proxy);
                case "equals" -> proxy == arguments[0];
                case "getService" -> System.setProperty("test.counter.asked", "yes");
                default -> null;
              });
    }

    @Override
    public Decision process(Packet packet, Decision decision) {
      return decision.pass("counted");
    }
  }

  /** Does not start. */
  public static final class Broken extends Plain {
    @Override
    public void start(BundleContext context) throws Exception {
      throw new IllegalStateException("no licence");
    }

    @Override
    public Decision process(Packet packet, Decision decision) {
      return decision.pass();
    }
  }

  /** Hangs in its start until it is interrupted. */
  public static final class Hanging extends Plain {
    @Override
    public void start(BundleContext context) throws Exception {
      Thread.sleep(Long.MAX_VALUE);
    }

    @Override
    public Decision process(Packet packet, Decision decision) {
      return decision.pass();
    }
  }

  /** A server module, no packets; leaves a thread behind. */
  public static final class Server implements BundleActivator {
    @Override
    public void start(BundleContext context) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  Thread.sleep(Long.MAX_VALUE);
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              },
              "left-behind");
      thread.setDaemon(true);
      thread.start();
    }

    @Override
    public void stop(BundleContext context) {}
  }
}
