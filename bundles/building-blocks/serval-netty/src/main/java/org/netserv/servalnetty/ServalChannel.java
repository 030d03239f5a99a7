// SPDX-License-Identifier: Apache-2.0
package org.netserv.servalnetty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.util.concurrent.TimeUnit;
import org.netserv.serval.Endpoint;
import org.netserv.serval.endpoint.Addresses;
import org.netserv.serval.endpoint.FlowEnd;
import org.netserv.serval.endpoint.ServalStream;
import org.netserv.serval.endpoint.StreamHandler;

/**
 * A stream of Serval. A client connects to a {@link ServalName}. Its addresses are those of the
 * flow, which change when an end moves; {@link ServalMoved} tells then.
 *
 * <p>Writes wait while the stream's buffer is full, so that {@link #isWritable} turns to false. A
 * channel that does not read closes the peer's window.
 */
public final class ServalChannel extends AbstractChannel implements DuplexChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

  private final ServalChannelConfig config = new ServalChannelConfig(this);
  private final StreamHandler events = new Events();
  private final Runnable readTask = this::read0;
  private ServalStream stream;
  private ChannelPromise connectPromise;
  private Future<?> connectTimeout;
  private boolean readPending;
  private boolean readScheduled;
  private volatile boolean open = true;
  private volatile boolean active;
  private volatile boolean inputShutdown;
  private volatile SocketAddress local;
  private volatile SocketAddress remote;
  private volatile boolean outputShutdown;

  /** Makes the channel of a client. */
  public ServalChannel() {
    super(null);
  }

  /** Makes the channel of a stream that a service has accepted. */
  ServalChannel(Channel parent, ServalStream stream) {
    super(parent);
    this.stream = stream;
    active = true;
    readAddresses();
  }

  StreamHandler events() {
    return events;
  }

  @Override
  public ServalChannelConfig config() {
    return config;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public boolean isActive() {
    return active;
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop instanceof ServalEventLoop && (parent() == null || parent().eventLoop() == loop);
  }

  @Override
  protected void doRegister(ChannelPromise promise) {
    loop().add(this);
    promise.setSuccess();
  }

  @Override
  protected void doDeregister() {
    loop().remove(this);
  }

  private ServalEventLoop loop() {
    return (ServalEventLoop) eventLoop();
  }

  /** Returns the address of this end, which a move changes. */
  @Override
  public SocketAddress localAddress() {
    return local;
  }

  /** Returns the address of the peer, which a move changes. */
  @Override
  public SocketAddress remoteAddress() {
    return remote;
  }

  @Override
  protected SocketAddress localAddress0() {
    return local;
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return remote;
  }

  private void readAddresses() {
    local = address(stream.own());
    remote = address(stream.peer());
  }

  private static SocketAddress address(Endpoint endpoint) {
    return endpoint == null ? null : Addresses.socketAddress(endpoint);
  }

  @Override
  protected void doBind(SocketAddress local) {
    throw new UnsupportedOperationException("a stream has the address of its loop");
  }

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  protected void doClose() {
    open = false;
    active = false;
    inputShutdown = true;
    outputShutdown = true;
    if (connectPromise != null) {
      connectPromise.tryFailure(new ClosedChannelException());
      connectEnded();
    }
    if (stream != null && config.breaksOff()) {
      stream.abort();
    } else if (stream != null) {
      stream.close();
    }
  }

  // ---- writing

  @Override
  protected Object filterOutboundMessage(Object message) {
    if (message instanceof ByteBuf) {
      return message;
    }
    throw new UnsupportedOperationException("not a ByteBuf: " + message.getClass().getName());
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer buffer) {
    for (Object current = buffer.current(); current != null; current = buffer.current()) {
      ByteBuf bytes = (ByteBuf) current;
      if (!bytes.isReadable()) {
        buffer.remove();
      } else if (!write(bytes, buffer)) {
        return; // the stream tells when it has room
      }
    }
  }

  /** Writes the first part of a buffer. False if not all of the part had room. */
  private boolean write(ByteBuf bytes, ChannelOutboundBuffer buffer) {
    ByteBuffer part =
        bytes.nioBufferCount() == 1
            ? bytes.nioBuffer(bytes.readerIndex(), bytes.readableBytes())
            : bytes.nioBuffers()[0];
    int count = stream.write(part);
    if (count > 0) {
      buffer.removeBytes(count);
    }
    return !part.hasRemaining();
  }

  // ---- reading

  @Override
  protected void doBeginRead() {
    readPending = true;
    if (stream != null && (stream.readable() > 0 || stream.isEnded())) {
      scheduleRead();
    }
  }

  void stopReading() {
    readPending = false;
  }

  private void scheduleRead() {
    if (!readScheduled) {
      readScheduled = true;
      eventLoop().execute(readTask);
    }
  }

  private void read0() {
    readScheduled = false;
    if (!open || inputShutdown || !readPending) {
      return;
    }
    var handle = unsafe().recvBufAllocHandle();
    handle.reset(config);
    int count;
    do {
      ByteBuf bytes = handle.allocate(alloc());
      handle.attemptedBytesRead(bytes.writableBytes()); // a full buffer is not the last one
      count = stream.read(bytes.internalNioBuffer(bytes.writerIndex(), bytes.writableBytes()));
      handle.lastBytesRead(count);
      if (count <= 0) {
        bytes.release();
        break;
      }
      bytes.writerIndex(bytes.writerIndex() + count);
      handle.incMessagesRead(1);
      readPending = false;
      pipeline().fireChannelRead(bytes);
    } while (open && handle.continueReading());
    handle.readComplete();
    pipeline().fireChannelReadComplete();
    if (open && (count < 0 || stream.isEnded())) {
      inputEnded();
    }
  }

  /** The peer has sent all. */
  private void inputEnded() {
    if (inputShutdown) {
      return;
    }
    inputShutdown = true;
    readPending = false;
    if (config.isHalfClosure()) {
      pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
      pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
    } else {
      unsafe().close(unsafe().voidPromise());
    }
  }

  // ---- half-close

  @Override
  protected void doShutdownOutput() {
    outputShutdown = true;
    stream.finish();
  }

  @Override
  public boolean isInputShutdown() {
    return inputShutdown;
  }

  @Override
  public boolean isOutputShutdown() {
    return outputShutdown;
  }

  @Override
  public boolean isShutdown() {
    return inputShutdown && outputShutdown;
  }

  @Override
  public ChannelFuture shutdownInput() {
    return shutdownInput(newPromise());
  }

  /** Data that come later are not read, and close the window in the end. */
  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    inputShutdown = true;
    promise.setSuccess();
    return promise;
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    inLoop(() -> ((AbstractUnsafe) unsafe()).shutdownOutput(promise));
    return promise;
  }

  @Override
  public ChannelFuture shutdown() {
    return shutdown(newPromise());
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    inputShutdown = true;
    return shutdownOutput(promise);
  }

  private void inLoop(Runnable call) {
    if (eventLoop().inEventLoop()) {
      call.run();
    } else {
      eventLoop().execute(call);
    }
  }

  // ---- connecting

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new ServalUnsafe();
  }

  private final class ServalUnsafe extends AbstractUnsafe {
    @Override
    public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
      if (!promise.setUncancellable() || !ensureOpen(promise)) {
        return;
      }
      if (stream != null) {
        safeSetFailure(
            promise, active ? new AlreadyConnectedException() : new ConnectionPendingException());
        return;
      }
      if (!(remote instanceof ServalName name)) {
        safeSetFailure(promise, new IllegalArgumentException("not a serviceID: " + remote));
        return;
      }
      try {
        connectPromise = promise;
        stream = loop().endpoint().connectStream(name.id(), events);
        awaitConnect(name);
      } catch (IllegalStateException e) {
        connectPromise = null;
        safeSetFailure(promise, e);
        closeIfClosed();
      }
    }

    /** Writes all that has waited for room. */
    void writeAgain() {
      super.flush0();
    }
  }

  private void awaitConnect(ServalName name) {
    int milliseconds = config.getConnectTimeoutMillis();
    if (milliseconds > 0 && connectPromise != null) {
      connectTimeout =
          eventLoop().schedule(() -> connectLate(name), milliseconds, TimeUnit.MILLISECONDS);
    }
  }

  private void connectLate(ServalName name) {
    if (connectPromise != null
        && connectPromise.tryFailure(new ConnectTimeoutException("no answer of " + name))) {
      unsafe().close(unsafe().voidPromise());
    }
  }

  private void connectEnded() {
    connectPromise = null;
    if (connectTimeout != null) {
      connectTimeout.cancel(false);
      connectTimeout = null;
    }
  }

  // ---- the stream

  private final class Events implements StreamHandler {
    @Override
    public void connected(ServalStream opened) {
      if (connectPromise == null) {
        return; // a server's, which is active since it was accepted
      }
      active = true;
      readAddresses();
      boolean told = connectPromise.trySuccess();
      connectEnded();
      if (told && open) {
        pipeline().fireChannelActive();
      } else {
        unsafe().close(unsafe().voidPromise());
      }
    }

    @Override
    public void readable(ServalStream opened) {
      if (readPending) {
        scheduleRead();
      }
    }

    @Override
    public void writable(ServalStream opened) {
      if (open) {
        ((ServalUnsafe) unsafe()).writeAgain();
      }
    }

    @Override
    public void moved(ServalStream opened) {
      readAddresses();
      pipeline().fireUserEventTriggered(ServalMoved.MOVED);
    }

    @Override
    public void closed(ServalStream opened, FlowEnd end) {
      if (open && (end == FlowEnd.RESET || end == FlowEnd.SILENT)) {
        broken(end == FlowEnd.RESET ? "the peer has broken off" : "the peer does not answer");
      }
    }
  }

  private void broken(String reason) {
    IOException failure = new SocketException(reason);
    if (connectPromise != null) {
      ChannelPromise waits = connectPromise;
      connectEnded();
      waits.tryFailure(failure);
    } else {
      pipeline().fireExceptionCaught(failure);
    }
    unsafe().close(unsafe().voidPromise());
  }
}
