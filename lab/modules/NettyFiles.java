// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Dictionary;
import java.util.Hashtable;
import javax.net.ssl.KeyManagerFactory;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.service.cm.ConfigurationException;
import org.osgi.service.cm.ManagedService;

/**
 * A server on Netty: a file of {@link #SIZE} bytes, from the disk on port 80, and over TLS on port
 * 443. The property {@code keys} has the key and the certificate as PKCS #12 in base64.
 */
public final class NettyFiles implements BundleActivator, ManagedService {
  static final int SIZE = 4 << 20;

  private static final char[] PASSWORD = "password".toCharArray();

  private EventLoopGroup loops;
  private File file;

  @Override
  public void start(BundleContext context) throws IOException {
    byte[] bytes = new byte[SIZE];
    for (int i = 0; i < SIZE; i++) {
      bytes[i] = (byte) (i % 251);
    }
    file = context.getDataFile("content");
    Files.write(file.toPath(), bytes);
    loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    Dictionary<String, String> properties = new Hashtable<>();
    properties.put("service.pid", context.getBundle().getSymbolicName());
    context.registerService(ManagedService.class, this, properties);
  }

  @Override
  public void stop(BundleContext context) {
    loops.shutdownGracefully();
  }

  @Override
  public void updated(Dictionary<String, ?> properties) throws ConfigurationException {
    if (properties == null) {
      return;
    }
    try {
      listen(80, null);
      listen(443, context((String) properties.get("keys")));
    } catch (IOException | GeneralSecurityException e) {
      throw new ConfigurationException("keys", e.toString(), e);
    }
  }

  private static SslContext context(String keys) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(new ByteArrayInputStream(Base64.getDecoder().decode(keys)), PASSWORD);
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, PASSWORD);
    return SslContextBuilder.forServer(factory).sslProvider(SslProvider.JDK).build();
  }

  private void listen(int port, SslContext tls) {
    new ServerBootstrap()
        .group(loops)
        .channel(NioServerSocketChannel.class)
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                if (tls != null) {
                  channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                }
                channel.pipeline().addLast(new Answer());
              }
            })
        .bind(port)
        .syncUninterruptibly();
  }

  /** Answers the first bytes of a request, and closes. */
  private final class Answer extends SimpleChannelInboundHandler<Object> {
    private boolean answered;

    @Override
    protected void channelRead0(ChannelHandlerContext context, Object request) throws IOException {
      if (answered) {
        return;
      }
      answered = true;
      String head = "HTTP/1.0 200 OK\r\nContent-Length: " + SIZE + "\r\n\r\n";
      context.write(Unpooled.copiedBuffer(head, StandardCharsets.US_ASCII));
      Object body =
          context.pipeline().get(SslHandler.class) == null
              ? new DefaultFileRegion(file, 0, SIZE)
              : Unpooled.wrappedBuffer(Files.readAllBytes(file.toPath()));
      context.writeAndFlush(body).addListener(ChannelFutureListener.CLOSE);
    }
  }
}
