// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.netserv.serval.ServiceId;
import org.netserv.serval.endpoint.EndpointSettings;
import org.netserv.serval.endpoint.FlowEnd;
import org.netserv.serval.endpoint.Router;
import org.netserv.serval.endpoint.ServalSocket;
import org.netserv.serval.endpoint.ServalStream;
import org.netserv.serval.endpoint.StreamHandler;

/**
 * Reads a stream by name to its end: {@code ServalFetch ADDRESS SERVICE-ID PATIENCE-MILLIS EXPECTED
 * SEED ROUTER...}. Prints whether it is connected, the number of bytes, and 1 if their digest is
 * that of the bytes of {@link ServalSource}.
 */
public final class ServalFetch implements StreamHandler {
  private final MessageDigest digest = sha256();
  private final ByteBuffer piece = ByteBuffer.allocate(1 << 16);
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final AtomicLong bytes = new AtomicLong();
  private volatile boolean connected;

  private ServalFetch() {}

  public static void main(String[] args) throws IOException {
    Router[] routers =
        Arrays.stream(args, 5, args.length).map(ServalSource::router).toArray(Router[]::new);
    byte[] wanted =
        sha256().digest(ServalSource.content(Integer.parseInt(args[3]), Long.parseLong(args[4])));
    ServalFetch fetch = new ServalFetch();
    ServiceId id = ServiceId.parse(args[1]);
    try (ServalSocket socket =
        ServalSocket.open(
            new InetSocketAddress(args[0], 0), EndpointSettings.DEFAULT.with(routers))) {
      socket.call(endpoint -> endpoint.connectStream(id, fetch)).join();
      fetch.await(Long.parseLong(args[2]));
    }
    boolean right = Arrays.equals(wanted, fetch.digest.digest());
    System.out.println(
        "connected="
            + (fetch.connected ? 1 : 0)
            + " bytes="
            + fetch.bytes
            + " right="
            + (right ? 1 : 0));
  }

  private void await(long millis) {
    try {
      done.get(millis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return; // what is printed tells it
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void connected(ServalStream stream) {
    connected = true;
  }

  @Override
  public void readable(ServalStream stream) {
    int count = stream.read(piece.clear());
    while (count > 0) {
      digest.update(piece.flip());
      bytes.addAndGet(count);
      count = stream.read(piece.clear());
    }
    if (count < 0) {
      stream.finish();
      done.complete(null);
    }
  }

  @Override
  public void closed(ServalStream stream, FlowEnd end) {
    done.complete(null);
  }
}
