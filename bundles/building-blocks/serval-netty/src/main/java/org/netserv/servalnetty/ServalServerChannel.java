// SPDX-License-Identifier: Apache-2.0
package org.netserv.servalnetty;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.Binding;
import org.netserv.serval.endpoint.ServalStream;
import org.netserv.serval.endpoint.ServiceHandler;
import org.netserv.serval.endpoint.StreamHandler;

/**
 * A service of streams. To bind registers it with the router, to close withdraws it. Its channels
 * belong to the same loop, so a bootstrap has that loop as both groups.
 */
public final class ServalServerChannel extends AbstractServerChannel {
  private final ChannelConfig config = new DefaultChannelConfig(this);
  private ServalName name;
  private Binding binding;
  private volatile boolean open = true;

  @Override
  public ChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public boolean isActive() {
    return open && binding != null;
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop instanceof ServalEventLoop;
  }

  @Override
  protected SocketAddress localAddress0() {
    return name;
  }

  @Override
  protected void doBind(SocketAddress local) {
    if (!(local instanceof ServalName wanted)) {
      throw new IllegalArgumentException("not a serviceID: " + local);
    }
    ServalEventLoop loop = (ServalEventLoop) eventLoop();
    ServiceHandler program = ServiceHandler.ofStreams(this::accept);
    binding = loop.endpoint().bind(ServicePrefix.of(wanted.id()), program);
    name = wanted;
    loop.add(this);
  }

  private StreamHandler accept(ServalStream stream) {
    ServalChannel child = new ServalChannel(this, stream);
    pipeline().fireChannelRead(child);
    pipeline().fireChannelReadComplete();
    return child.isOpen() ? child.events() : null;
  }

  @Override
  protected void doBeginRead() {} // streams come by themselves

  @Override
  protected void doClose() {
    open = false;
    if (binding != null) {
      binding.close();
      ((ServalEventLoop) eventLoop()).remove(this);
    }
  }
}
