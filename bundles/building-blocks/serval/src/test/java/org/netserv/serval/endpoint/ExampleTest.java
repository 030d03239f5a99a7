// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

/** Runs the example of the README, and compares its text. */
class ExampleTest {
  private static final String BEGIN = "    // A server offers a service.\n";
  private static final String END = "    // The end.\n";

  @Test
  void theExampleRuns() throws Exception {
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (RouterSocket router = RouterSocket.open(loopback)) {
      InetSocketAddress routerAddress = Addresses.socketAddress(router.address());
      assertEquals("name? name!", example(loopback, routerAddress));
    }
  }

  private static String example(InetSocketAddress local, InetSocketAddress routerAddress)
      throws Exception {
    // A server offers a service.
    var router = new Router(Router.PUBLISHED, Addresses.endpoint(routerAddress));
    var settings = EndpointSettings.DEFAULT.with(router);
    var name = ServiceId.parse("00004001");
    ServiceHandler exclaims =
        opened ->
            (flow, payload) -> {
              byte[] bytes = new byte[payload.remaining()];
              payload.get(bytes);
              bytes[bytes.length - 1] = '!';
              flow.send(ByteBuffer.wrap(bytes));
            };
    var server = ServalSocket.open(local, settings);
    server.call(endpoint -> endpoint.bind(ServicePrefix.of(name), exclaims)).join();

    // A client connects by name, and asks.
    var answer = new CompletableFuture<String>();
    var asks =
        new FlowHandler() {
          @Override
          public void connected(DatagramFlow flow) {
            flow.send(StandardCharsets.UTF_8.encode("name?"));
          }

          @Override
          public void received(DatagramFlow flow, ByteBuffer payload) {
            answer.complete("name? " + StandardCharsets.UTF_8.decode(payload));
            flow.close();
          }

          @Override
          public void closed(DatagramFlow flow, FlowEnd end) {
            answer.cancel(false); // no effect after an answer
          }
        };
    var client = ServalSocket.open(local, settings);
    client.call(endpoint -> endpoint.connect(name, asks)).join();
    String text = answer.get(30, TimeUnit.SECONDS);
    client.close();
    server.close(); // withdraws the service
    // The end.
    return text;
  }

  @Test
  void theReadmeHasTheExample() throws IOException {
    String code =
        Files.readString(Path.of("src/test/java/org/netserv/serval/endpoint/ExampleTest.java"));
    int begin = code.indexOf(BEGIN, code.indexOf("private static String example"));
    String example = code.substring(begin, code.indexOf(END, begin));
    assertTrue(Files.readString(Path.of("README.md")).contains(example), example);
  }
}
