// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.Binding;
import org.netserv.serval.endpoint.Datagram;
import org.netserv.serval.endpoint.DatagramFlow;
import org.netserv.serval.endpoint.EndpointSettings;
import org.netserv.serval.endpoint.FlowHandler;
import org.netserv.serval.endpoint.Router;
import org.netserv.serval.endpoint.ServalSocket;
import org.netserv.serval.endpoint.ServiceHandler;
import org.netserv.serval.registration.SigningKey;
import org.netserv.servicerouter.LoopbackRouter;
import org.netserv.servicerouter.core.Outcome;

/** A socket of Java that signs its registrations, and this router. */
class SignedSocketTest {
  private static final int PATIENCE_SECONDS = 10;

  private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

  private final ServiceHandler handler =
      new ServiceHandler() {
        @Override
        public FlowHandler accept(DatagramFlow flow) {
          return null;
        }

        @Override
        public void received(Datagram datagram) {
          byte[] bytes = new byte[datagram.payload().remaining()];
          datagram.payload().get(bytes);
          received.add(new String(bytes, StandardCharsets.US_ASCII));
        }
      };

  private static ServalSocket open(Router router) throws Exception {
    InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    InetSocketAddress local = new InetSocketAddress(loopback, 0);
    return ServalSocket.open(local, EndpointSettings.DEFAULT.with(router));
  }

  @Test
  void aServiceIsRegisteredByItsKeyAndWithdrawn() throws Exception {
    SigningKey key = new SigningKey(KeyPairGenerator.getInstance("Ed25519").generateKeyPair());
    ServiceId id = key.id(new byte[] {0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
    Endpoint at = LoopbackRouter.free(1);
    try (LoopbackRouter router =
            new LoopbackRouter(
                at, () -> System.nanoTime() / 1_000_000, "signed-registrations", "6");
        ServalSocket server = open(new Router(Router.PUBLISHED, at, key));
        ServalSocket client = open(new Router(Router.PUBLISHED, at))) {
      Binding bound = server.call(e -> e.bind(ServicePrefix.of(id), handler)).get();
      router.await(Outcome.SIGNED_OK, 1);
      assertEquals(1, router.count(Outcome.SIGNED_CHALLENGED));
      ByteBuffer hello = ByteBuffer.wrap(new byte[] {'h', 'i'});
      ServicePrefix own = ServicePrefix.of(ServiceId.parse("77"));
      Binding source = client.call(e -> e.bindLocally(own, handler)).get();
      assertTrue(client.call(e -> source.send(id, hello)).get());
      assertEquals("hi", received.poll(PATIENCE_SECONDS, TimeUnit.SECONDS));
      server
          .call(
              e -> {
                bound.close();
                return null;
              })
          .get();
      router.await(Outcome.REGISTRATION_WITHDRAWN, 1);
    }
  }
}
