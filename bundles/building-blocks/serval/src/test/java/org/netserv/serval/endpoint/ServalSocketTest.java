// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.serval.endpoint.Program.bytes;
import static org.netserv.serval.endpoint.Program.text;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

/** Endpoints and a service router on sockets of the loopback interface. */
class ServalSocketTest {
  private static final ServicePrefix SHOP = ServicePrefix.of(ServiceId.parse("00004001"));
  private static final ServicePrefix HOME = ServicePrefix.of(ServiceId.parse("0000d903"));

  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
  private RouterSocket router;
  private ServalSocket server;
  private ServalSocket client;

  /** Tells each thing that it hears. */
  private final class Teller implements FlowHandler {
    @Override
    public void connected(DatagramFlow flow) {
      heard.add("connected");
    }

    @Override
    public void received(DatagramFlow flow, ByteBuffer payload) {
      heard.add(text(payload));
    }

    @Override
    public void moved(DatagramFlow flow) {
      heard.add("moved");
    }

    @Override
    public void closed(DatagramFlow flow, FlowEnd end) {
      heard.add("closed " + end);
    }
  }

  private static InetSocketAddress local(int host) throws IOException {
    return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) host}), 0);
  }

  @BeforeEach
  void open() throws IOException {
    router = RouterSocket.open(local(3));
    EndpointSettings settings =
        EndpointSettings.DEFAULT.with(new Router(Router.PUBLISHED, router.address()));
    server = ServalSocket.open(local(1), settings);
    client = ServalSocket.open(local(1), settings);
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    server.close();
    router.close();
  }

  private String next() throws InterruptedException {
    return heard.poll(30, TimeUnit.SECONDS);
  }

  private DatagramFlow connect() throws Exception {
    server.call(endpoint -> endpoint.bind(SHOP, new Program(true))).get();
    router.awaitRules(1);
    DatagramFlow flow = client.call(endpoint -> endpoint.connect(SHOP.id(), new Teller())).get();
    assertEquals("connected", next());
    return flow;
  }

  private void ask(DatagramFlow flow, String question) throws Exception {
    for (int i = 0; i < 100; i++) {
      assertTrue(client.call(endpoint -> flow.send(bytes(question))).get());
      String answer = heard.poll(100, TimeUnit.MILLISECONDS); // loopback drops under load
      if (answer != null) {
        assertEquals(question, answer);
        return;
      }
    }
    throw new AssertionError("no answer");
  }

  @Test
  void aFlowThatBothEndsMove() throws Exception {
    DatagramFlow flow = connect();
    ask(flow, "one");
    heard.clear();
    client.move(local(11)).get();
    assertEquals("moved", next());
    assertEquals(local(11).getAddress(), address(flow).getAddress());
    ask(flow, "two");
    InetSocketAddress moved = server.move(local(12)).get();
    String word = next();
    while ("two".equals(word)) {
      word = next(); // asked twice
    }
    assertEquals("moved", word);
    assertEquals(moved, client.call(e -> Addresses.socketAddress(flow.peer())).get());
    ask(flow, "three");
    client.call(endpoint -> endpoint.connect(SHOP.id(), new Teller())).get();
    word = next();
    while ("three".equals(word)) {
      word = next();
    }
    assertEquals("connected", word); // the router knows the new address
  }

  private InetSocketAddress address(DatagramFlow flow) throws Exception {
    return client.call(e -> Addresses.socketAddress(flow.own())).get();
  }

  @Test
  void closeTellsThePeerAndTheRouter() throws Exception {
    connect();
    server.close();
    assertEquals("closed RESET", next());
    router.awaitRules(0);
    ExecutionException refused =
        assertThrows(ExecutionException.class, () -> server.call(ServalEndpoint::size).get());
    assertEquals(IOException.class, refused.getCause().getClass());
    server.close();
  }

  @Test
  void unconnectedDatagrams() throws Exception {
    server.call(endpoint -> endpoint.bind(SHOP, new Program(true))).get();
    router.awaitRules(1);
    ServiceHandler hears =
        new ServiceHandler() {
          @Override
          public FlowHandler accept(DatagramFlow flow) {
            return null;
          }

          @Override
          public void received(Datagram datagram) {
            heard.add(datagram.source() + " " + text(datagram.payload()));
          }
        };
    Binding own = client.call(endpoint -> endpoint.bindLocally(HOME, hears)).get();
    String answer = null;
    for (int i = 0; i < 100 && answer == null; i++) {
      client.call(endpoint -> own.send(SHOP.id(), bytes("hello"))).get();
      answer = heard.poll(100, TimeUnit.MILLISECONDS);
    }
    assertEquals(SHOP.id() + " hello", answer);
  }

  /** A handler that fails costs its own event alone. */
  @Test
  void aHandlerThatFails() throws Exception {
    BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
    client
        .call(
            endpoint -> {
              Thread.currentThread()
                  .setUncaughtExceptionHandler((thread, failure) -> failures.add(failure));
              return null;
            })
        .get();
    server.call(endpoint -> endpoint.bind(SHOP, new Program(true))).get();
    router.awaitRules(1);
    client
        .call(
            endpoint ->
                endpoint.connect(
                    SHOP.id(),
                    new FlowHandler() {
                      @Override
                      public void connected(DatagramFlow flow) {
                        throw new IllegalStateException("of the program");
                      }

                      @Override
                      public void received(DatagramFlow flow, ByteBuffer payload) {}
                    }))
        .get();
    assertEquals("of the program", failures.poll(30, TimeUnit.SECONDS).getMessage());
    assertEquals(1, client.call(ServalEndpoint::size).get());
  }

  /** A handler may wait for its own call, and a call that fails costs nobody else. */
  @Test
  void callsOfTheThreadAndCallsThatFail() throws Exception {
    int size = client.call(endpoint -> client.call(ServalEndpoint::size).join()).get();
    assertEquals(0, size);
    ExecutionException failed =
        assertThrows(
            ExecutionException.class,
            () ->
                client
                    .call(
                        endpoint -> {
                          throw new AssertionError("of the program");
                        })
                    .get());
    assertEquals(AssertionError.class, failed.getCause().getClass());
    assertEquals(0, client.call(ServalEndpoint::size).get());
  }

  @Test
  void addressesThatCannotBeBound() throws Exception {
    InetSocketAddress any = new InetSocketAddress(0);
    assertThrows(
        IllegalArgumentException.class, () -> ServalSocket.open(any, EndpointSettings.DEFAULT));
    InetSocketAddress foreign = new InetSocketAddress("192.0.2.1", 0);
    assertThrows(IOException.class, () -> ServalSocket.open(foreign, EndpointSettings.DEFAULT));
    assertThrows(ExecutionException.class, () -> client.move(foreign).get());
    assertThrows(ExecutionException.class, () -> client.move(any).get());
    InetSocketAddress same = client.localAddress();
    assertEquals(same, client.move(same).get());
    EndpointSettings itself =
        EndpointSettings.DEFAULT.with(new Router(Router.PUBLISHED, Addresses.endpoint(same)));
    client.close();
    assertThrows(IllegalArgumentException.class, () -> ServalSocket.open(same, itself));
    ServalSocket.open(same, EndpointSettings.DEFAULT).close(); // the failure has closed its socket
  }

  /** 20 MB there and back, while both ends move three times. */
  @Test
  void aStreamWhileBothEndsMove() throws Exception {
    byte[] bytes = new byte[20_000_000];
    new Random(1).nextBytes(bytes);
    StreamProgram echo = StreamProgram.echo();
    StreamProgram asker = StreamProgram.writer(bytes);
    CountDownLatch closed = new CountDownLatch(1);
    StreamHandler asks =
        new StreamHandler() {
          @Override
          public void connected(ServalStream stream) {
            asker.connected(stream);
          }

          @Override
          public void readable(ServalStream stream) {
            asker.readable(stream);
          }

          @Override
          public void writable(ServalStream stream) {
            asker.writable(stream);
          }

          @Override
          public void closed(ServalStream stream, FlowEnd end) {
            asker.closed(stream, end);
            closed.countDown();
          }
        };
    ServiceHandler echoes = ServiceHandler.ofStreams(stream -> echo);
    server.call(endpoint -> endpoint.bind(HOME, echoes)).get();
    client.call(endpoint -> endpoint.connectStream(HOME.id(), asks)).get();
    for (int i = 0; i < 3; i++) {
      int part = bytes.length / 4 * (i + 1);
      while (client.call(endpoint -> asker.got.size()).get() < part) {
        Thread.sleep(1);
      }
      client.move(local(11 + i)).get();
      server.move(local(21 + i)).get();
    }
    assertTrue(closed.await(120, TimeUnit.SECONDS), asker.heard.toString());
    assertArrayEquals(bytes, asker.got.toByteArray());
    assertEquals(List.of("connected", "end", "closed OWN"), asker.heard);
    assertTrue(echo.moves >= 3, "moves " + echo.moves);
  }
}
