// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.net.NodeCertificate;
import org.netserv.nslp.NslpMessage;
import org.netserv.nslp.RequestId;

/**
 * Times handshakes one after the other, each of a new session: {@code GistTimes d|tcp|tls
 * new|reused FROM TO COUNT}. With {@code new} it closes the association after each handshake, so
 * that the next one needs a new association.
 *
 * <p>It prints two times in microseconds: until the Confirm and the first Data had left, and until
 * the answer of the peer's application arrived. The first fifth of the handshakes is not counted.
 */
public final class GistTimes {
  private static final int SECONDS = 20;
  private static final int BUDGET_MS = 10_000;

  /** Payload that is no NCM. The application refuses it at once and does not ask the controller. */
  private static final byte[] NO_NCM = {0};

  private static final int WARM_UP = 5;
  private static final int PAUSE_MS = 20;

  private final EventLoop loop;
  private final TransferAttributes how;
  private final NodeCertificate certificate;
  private final InetAddress from;
  private final InetAddress to;
  private final SecureRandom random = new SecureRandom();

  private GistTimes(EventLoop loop, String[] args) throws Exception {
    this.loop = loop;
    how =
        switch (args[0]) {
          case "d" -> TransferAttributes.UNRELIABLE;
          case "tcp" -> TransferAttributes.RELIABLE;
          default -> TransferAttributes.SECURE;
        };
    certificate = how.secure() ? NodeCertificate.generate("bench", random) : null;
    from = InetAddress.getByName(args[2]);
    to = InetAddress.getByName(args[3]);
  }

  public static void main(String[] args) throws Exception {
    MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    GistTimes times = new GistTimes(group.next(), args);
    int count = Integer.parseInt(args[4]);
    System.out.println(times.run(args[1].equals("new"), count));
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
  }

  private String run(boolean anew, int count) throws Exception {
    Figures left = new Figures();
    Figures answer = new Figures();
    Initiator initiator = on(() -> new Initiator(loop, certificate));
    int unmeasured = count / WARM_UP;
    for (int i = 0; i < count + unmeasured; i++) {
      Initiator.Sample sample = sample(initiator);
      if (i >= unmeasured) {
        left.add(sample.left() / 1000.0);
        answer.add(sample.answer() / 1000.0);
      }
      if (anew) {
        loop.submit(initiator::closeAssociations).get();
        Thread.sleep(PAUSE_MS); // the peer has noticed the close, too
      }
    }
    return "n=%d left50=%.0f left99=%.0f answer50=%.0f answer99=%.0f"
        .formatted(
            left.count(),
            left.percentile(50),
            left.percentile(99),
            answer.percentile(50),
            answer.percentile(99));
  }

  private Initiator.Sample sample(Initiator initiator)
      throws InterruptedException, ExecutionException, TimeoutException {
    byte[] id = new byte[RequestId.BYTES];
    random.nextBytes(id);
    byte[] payload = new NslpMessage.Request(new RequestId(id), BUDGET_MS, NO_NCM).encode();
    // No answer comes in D-mode, because the application answers only by an association.
    CompletableFuture<Initiator.Sample> sample =
        on(() -> initiator.send(from, to, how, payload, how.reliable()));
    return sample.get(SECONDS, TimeUnit.SECONDS);
  }

  private <T> T on(java.util.concurrent.Callable<T> task)
      throws InterruptedException, ExecutionException {
    return loop.submit(task).get();
  }
}
