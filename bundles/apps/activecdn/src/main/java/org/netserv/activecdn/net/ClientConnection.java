// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.nio.charset.StandardCharsets;
import org.netserv.activecdn.core.Client;
import org.netserv.activecdn.core.Edge;
import org.netserv.activecdn.core.Exchange;
import org.netserv.activecdn.core.Why;
import org.netserv.http.Body;
import org.netserv.http.ContentReader;
import org.netserv.http.ContentStep;
import org.netserv.http.Field;
import org.netserv.http.HeadError;
import org.netserv.http.HeadWriter;
import org.netserv.http.RequestHead;

/**
 * A client's connection over HTTP/1.1 or 1.0. Requests that the client sends without waiting are
 * answered one after another, in their order (RFC 9112, 9.3.2). While a response is on its way the
 * next request stays unread, and the socket too when there is much of it.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events tell the outcome
final class ClientConnection extends ChannelInboundHandlerAdapter implements Client, Swept {
  private static final int STATUS_TIMEOUT = 408;

  /** Unread bytes from which on the socket is not read. */
  private static final int MOST_UNREAD = 32_768;

  /** Milliseconds in which a client may read the answer to a request that ends the connection. */
  private static final long LINGER = 2_000;

  private final Clients clients;
  private final SslHandler tls; // null = none
  private final Edge edge;
  private final Inbox inbox = new Inbox();
  private final RequestHead request;
  private final ContentReader content;
  private ChannelHandlerContext context;
  private String address = "";
  private byte[] headBytes = new byte[0]; // of the request under way
  private Exchange exchange; // null = between two requests
  private boolean contentRead; // all of the request's content
  private boolean contentHeld;
  private boolean headSent;
  private boolean persists;
  private boolean chunked; // the response's content
  private boolean untilClose; // the response's content
  private boolean closing;
  private boolean advancing;
  private boolean advanceAgain;
  private long headSince; // ticks of the first byte of a head, or of the last response
  private long readSince; // ticks of the last byte of a request's content
  private long sentSince; // ticks at which the socket took bytes last, or had none
  private long closingSince;
  private long written; // bytes given to the socket's queue
  private long sentMark; // bytes that the socket had taken at sentSince

  /**
   * @param tls in front of this handler, null = none
   */
  ClientConnection(Clients clients, SslHandler tls) {
    this.clients = clients;
    this.tls = tls;
    this.edge = clients.edge;
    this.request = new RequestHead(edge.settings().limits());
    this.content = new ContentReader(edge.settings().limits());
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    context = active;
    address = Gate.address(active.channel());
    headSince = ticks();
    sentSince = headSince;
    clients.add(this);
  }

  private long ticks() {
    return edge.time().ticks();
  }

  // ---- requests

  @Override
  public void channelRead(ChannelHandlerContext from, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      if (closing || !bytes.isReadable()) {
        return;
      }
      if (exchange == null && inbox.size() == 0) {
        headSince = ticks();
      }
      readSince = ticks();
      inbox.add(bytes);
    } finally {
      bytes.release();
    }
    advance();
  }

  /** Reads requests and their contents as far as they came, and as far as they may be read. */
  private void advance() {
    if (advancing) {
      advanceAgain = true;
      return;
    }
    advancing = true;
    boolean more = true;
    while (more && !closing) {
      advanceAgain = false;
      if (exchange == null) {
        more = readHead();
      } else {
        more = !contentRead && !contentHeld && readContent();
      }
      more |= advanceAgain;
    }
    advancing = false;
    if (context != null && !closing) {
      boolean waits = exchange != null && (contentRead || contentHeld);
      context.channel().config().setAutoRead(!waits || inbox.size() < MOST_UNREAD);
    }
  }

  /** Reads a head and begins its exchange. Returns false if it is not whole. */
  private boolean readHead() {
    int end = inbox.headEnd();
    if (end < 0 && inbox.size() < edge.settings().limits().bytes()) {
      return false;
    }
    int known = end < 0 ? inbox.stop() : end;
    int size = known - inbox.start();
    headBytes = inbox.copy(known, headBytes);
    HeadError error = request.reset(headBytes, 0, size);
    if (error != HeadError.OK) {
      edge.count(Why.REFUSED_HEAD);
      HeadError named = error == HeadError.MORE ? HeadError.START_LINE : error;
      refuse(named.status(), named.text());
      return false;
    }
    inbox.skip(inbox.start() + request.end());
    content.reset(request);
    contentRead = Body.of(request) == Body.NONE;
    contentHeld = false;
    headSent = false;
    persists = request.persists();
    readSince = ticks();
    sentSince = ticks();
    exchange = edge.exchange(this);
    exchange.start();
    return true;
  }

  /** Reads content of the request. Returns false if more has to come. */
  private boolean readContent() {
    Exchange to = exchange;
    ContentStep step = content.read(inbox.bytes(), inbox.start(), inbox.stop());
    inbox.skip(content.end());
    switch (step) {
      case DATA -> {
        to.content(inbox.bytes(), content.dataStart(), content.dataEnd());
        return true;
      }
      case END -> {
        contentRead = true;
        to.contentEnd();
        return true;
      }
      case FAULT -> {
        edge.count(Why.REFUSED_CONTENT);
        give(content.error().status(), content.error().text());
      }
      case MORE -> {}
    }
    return false;
  }

  /** Gives a request up whose content has a fault, or does not come. */
  private void give(int status, String text) {
    exchange.gone();
    exchange = null;
    if (headSent) {
      close();
    } else {
      refuse(status, text);
    }
  }

  /** Answers a request that has no exchange, and ends the connection. */
  private void refuse(int status, String text) {
    byte[] body = (text + "\n").getBytes(StandardCharsets.US_ASCII);
    HeadWriter out = clients.refusal(status, body.length).field(Field.CONNECTION, "close").end();
    write(Unpooled.copiedBuffer(out.bytes(), 0, out.length()));
    write(Unpooled.wrappedBuffer(body));
    linger();
  }

  // ---- the response

  @Override
  public RequestHead request() {
    return request;
  }

  @Override
  public boolean isSecure() {
    return tls != null;
  }

  @Override
  public String protocol() {
    return request.minor() == 0 ? "HTTP/1.0" : "HTTP/1.1";
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public void interim(HeadWriter head) {
    if (!headSent && head.fits()) {
      write(Unpooled.copiedBuffer(head.bytes(), 0, head.length()));
      context.flush();
    }
  }

  @Override
  public boolean head(HeadWriter head, long length) {
    persists &= contentRead;
    boolean old = request.minor() == 0;
    chunked = length == UNKNOWN && !old;
    untilClose = length == UNKNOWN && old;
    persists &= !untilClose;
    if (chunked) {
      head.field(Field.TRANSFER_ENCODING, "chunked");
    }
    if (!persists) {
      head.field(Field.CONNECTION, "close");
    } else if (old) {
      head.field(Field.CONNECTION, "keep-alive");
    }
    head.end();
    if (!head.fits()) {
      return false;
    }
    headSent = true;
    write(context.alloc().buffer(head.length()).writeBytes(head.bytes(), 0, head.length()));
    return true;
  }

  @Override
  public boolean isWritable() {
    return context.channel().isWritable();
  }

  @Override
  public void write(byte[] bytes, int from, int to) {
    if (to > from) {
      written += to - from;
      Chunks.write(context, chunked, bytes, from, to, false);
    }
  }

  private void write(ByteBuf bytes) {
    written += bytes.readableBytes();
    context.write(bytes, context.voidPromise());
  }

  @Override
  public void flush() {
    context.flush();
  }

  @Override
  public void end() {
    exchange = null;
    headSince = ticks();
    if (chunked) {
      Chunks.end(context);
      chunked = false;
    }
    if (!persists || !contentRead) {
      if (isLast()) {
        closeWhenSent();
      } else {
        linger();
      }
      return;
    }
    context.flush();
    if (inbox.size() > 0 || advancing) {
      advance();
    } else {
      context.channel().config().setAutoRead(true);
    }
  }

  /** Tells whether the client has said that it sends nothing after the request (RFC 9112, 9.6). */
  private boolean isLast() {
    return tls == null && !request.persists() && Body.of(request) == Body.NONE && inbox.size() == 0;
  }

  @Override
  public void abort() {
    exchange = null;
    if (untilClose && context.channel() instanceof SocketChannel socket) {
      closing = true;
      socket.config().setOption(ChannelOption.SO_LINGER, 0); // a reset, as FIN would mean "whole"
      socket.close();
    } else {
      closeWhenSent();
    }
  }

  @Override
  public void holdContent(boolean held) {
    if (contentHeld != held) {
      contentHeld = held;
      readSince = ticks();
      if (!held) {
        advance();
      }
    }
  }

  // ---- the end

  /**
   * Sends what is left, and half-closes. The other half stays open for a moment, because unread
   * bytes would reset the connection before the client has read the answer (RFC 9112, 9.6).
   */
  private void linger() {
    closing = true;
    closingSince = ticks();
    Channel channel = context.channel();
    context
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(sent -> halfClose(channel, sent.isSuccess()));
  }

  private void closeWhenSent() {
    closing = true;
    closingSince = ticks();
    context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
  }

  private void halfClose(Channel channel, boolean sent) {
    if (!(channel instanceof SocketChannel socket) || !sent) {
      channel.close();
    } else if (tls != null) {
      tls.closeOutbound().addListener(told -> socket.shutdownOutput());
      socket.config().setAutoRead(true);
    } else {
      socket.shutdownOutput();
      socket.config().setAutoRead(true);
    }
  }

  @Override
  public void close() {
    closing = true;
    if (context != null) {
      context.close();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext changed) {
    if (exchange != null && isWritable()) {
      exchange.moved();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
    close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext gone) {
    closing = true;
    clients.remove(this);
    Exchange left = exchange;
    exchange = null;
    if (left != null) {
      edge.count(Why.CLIENT_GONE);
      left.gone();
    }
  }

  /** Ends everything that has waited for too long. */
  @Override
  public void sweep(long now) {
    ServerSettings by = clients.settings;
    if (isStalled(now, by.stall())) {
      edge.count(Why.SLOW_READER);
      close();
    } else if (closing) {
      if (now - closingSince > LINGER && pending() == 0) {
        close();
      }
    } else if (exchange == null && inbox.size() == 0) {
      if (now - headSince > by.idle()) {
        edge.count(Why.IDLE_CLOSED);
        close();
      }
    } else if (exchange == null) {
      if (now - headSince > by.head()) {
        edge.count(Why.HEAD_TIMEOUT);
        refuse(STATUS_TIMEOUT, "the head did not come in time");
      }
    } else if (!contentRead && !contentHeld && now - readSince > by.stall()) {
      edge.count(Why.CONTENT_TIMEOUT);
      give(STATUS_TIMEOUT, "the content did not come in time");
    }
  }

  private long pending() {
    ChannelOutboundBuffer queue = context.channel().unsafe().outboundBuffer();
    return queue == null ? 0 : queue.totalPendingWriteBytes();
  }

  /** Tells whether the client has taken no byte for too long, though there are some for it. */
  private boolean isStalled(long now, long most) {
    long pending = pending();
    long sent = written - pending;
    if (pending == 0 || sent != sentMark) {
      sentMark = sent;
      sentSince = now;
    }
    return now - sentSince > most;
  }
}
