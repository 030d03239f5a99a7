// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.web;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.Wait;

/** HAProxy in front of all instances. It tries each one twice a second, and carries all data. */
public final class ProxyFront implements WebFront {
  /** Milliseconds in which its first tries are over. */
  private static final int TRIES_MILLIS = 1500;

  private final Testbed testbed;
  private final String node;
  private final String address;
  private Path socket;
  private Tool proxy;

  /**
   * Makes it.
   *
   * @param node that has HAProxy
   */
  public ProxyFront(Testbed testbed, String node, String address) {
    this.testbed = testbed;
    this.node = node;
    this.address = address;
  }

  @Override
  public String name() {
    return "HAProxy";
  }

  @Override
  public void open(List<WebInstance> instances) throws IOException {
    Path directory = Files.createDirectories(testbed.state().resolve("web-proxy"));
    socket = directory.resolve("haproxy.sock");
    StringBuilder settings =
        new StringBuilder(
            """
            global
              stats socket %s mode 600 level admin
            defaults
              mode http
              timeout connect 1s
              timeout client 30s
              timeout server 30s
            frontend web
              bind :%d
              default_backend instances
            backend instances
              balance roundrobin
              default-server check inter 500ms fall 1 rise 1
            """
                .formatted(socket, PacedWeb.PORT));
    for (WebInstance instance : instances) {
      settings.append(
          "  server %s %s:%d%n".formatted(instance.name(), instance.address(), PacedWeb.PORT));
    }
    Path file = Files.writeString(directory.resolve("haproxy.cfg"), settings);
    List<String> command = List.of("haproxy", "-db", "-f", file.toString());
    proxy = Tool.start(testbed, node, testbed.unique("haproxy"), command);
    Wait.pause(TRIES_MILLIS);
  }

  @Override
  public String host() {
    return address;
  }

  @Override
  public Tool users(String name, String command) throws IOException {
    return Tool.start(testbed, "user", name, List.of("sh", "-c", command));
  }

  @Override
  public void drain(WebInstance instance) throws IOException {
    state(instance, "drain");
  }

  @Override
  public void resume(WebInstance instance) throws IOException {
    state(instance, "ready");
  }

  private void state(WebInstance instance, String state) throws IOException {
    String order = "set server instances/" + instance.name() + " state " + state + "\n";
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      channel.write(ByteBuffer.wrap(order.getBytes(StandardCharsets.US_ASCII)));
      channel.read(ByteBuffer.allocate(256)); // it has been carried out
    }
  }

  @Override
  public void close() {
    proxy.process().destroyForcibly();
  }
}
