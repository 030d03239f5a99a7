// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.Addresses;
import org.netserv.serval.endpoint.EndpointSettings;
import org.netserv.serval.endpoint.Router;
import org.netserv.serval.endpoint.ServalSocket;
import org.netserv.serval.endpoint.ServalStream;
import org.netserv.serval.endpoint.ServiceHandler;
import org.netserv.serval.endpoint.StreamHandler;

/**
 * An instance of a service that sends random bytes to each stream: {@code ServalSource ADDRESS PORT
 * SERVICE-ID BYTES SEED ROUTER...}. It registers with each router, and withdraws when it is
 * terminated. A router is ADDRESS:PORT.
 */
public final class ServalSource {
  private ServalSource() {}

  public static void main(String[] args) throws IOException {
    byte[] content = content(Integer.parseInt(args[3]), Long.parseLong(args[4]));
    List<Router> routers = new ArrayList<>();
    for (String router : List.of(args).subList(5, args.length)) {
      routers.add(router(router));
    }
    ServalSocket socket =
        ServalSocket.open(
            new InetSocketAddress(args[0], Integer.parseInt(args[1])),
            EndpointSettings.DEFAULT.with(routers.toArray(new Router[0])));
    ServicePrefix prefix = ServicePrefix.of(ServiceId.parse(args[2]));
    ServiceHandler program =
        ServiceHandler.ofStreams(stream -> new Sender(ByteBuffer.wrap(content)));
    socket.call(endpoint -> endpoint.bind(prefix, program)).join();
    Runtime.getRuntime().addShutdownHook(new Thread(socket::close));
    System.out.println("ready");
    while (true) {
      try {
        Thread.sleep(1000);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Returns the bytes of an instance. */
  static byte[] content(int bytes, long seed) {
    byte[] content = new byte[bytes];
    new Random(seed).nextBytes(content);
    return content;
  }

  /** Returns a router by its address and port. */
  static Router router(String text) {
    int colon = text.lastIndexOf(':');
    int port = Integer.parseInt(text.substring(colon + 1));
    InetSocketAddress address = new InetSocketAddress(text.substring(0, colon), port);
    return new Router(Router.PUBLISHED, Addresses.endpoint(address));
  }

  /** Sends all bytes, and ends. */
  private record Sender(ByteBuffer left) implements StreamHandler {
    @Override
    public void connected(ServalStream stream) {
      writable(stream);
    }

    @Override
    public void writable(ServalStream stream) {
      stream.write(left);
      if (!left.hasRemaining()) {
        stream.finish();
      }
    }

    @Override
    public void readable(ServalStream stream) {
      ByteBuffer rest = ByteBuffer.allocate(64);
      int count = stream.read(rest);
      while (count > 0) { // nothing is asked for
        count = stream.read(rest.clear());
      }
    }
  }
}
