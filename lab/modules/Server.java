// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/**
 * A server module on port 80 of its container. It answers with its publisher's name and the address
 * of the client.
 */
public final class Server implements BundleActivator {
  private HttpServer server;

  @Override
  public void start(BundleContext context) throws IOException {
    server = HttpServer.create(new InetSocketAddress(80), 0);
    server.createContext("/", Server::answer);
    server.start();
  }

  @Override
  public void stop(BundleContext context) {
    server.stop(0);
  }

  private static void answer(HttpExchange exchange) throws IOException {
    String text =
        Path.of(System.getProperty("user.home")).getParent().getFileName()
            + " "
            + exchange.getRemoteAddress().getAddress().getHostAddress();
    byte[] body = text.getBytes(StandardCharsets.US_ASCII);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
