// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import org.netserv.activecdn.core.Client;
import org.netserv.activecdn.core.Edge;
import org.netserv.activecdn.core.Exchange;
import org.netserv.activecdn.core.Why;
import org.netserv.http.HeadError;
import org.netserv.http.HeadWriter;
import org.netserv.http.RequestHead;

/**
 * One request over HTTP/2, and its response.
 *
 * <pre>
 *   HEADERS --> exchange --> DATA* --> end of the request's content
 *      |
 *      +--> malformed: RST_STREAM
 * </pre>
 *
 * The head of a response waits for its first content or its end, so that a response without content
 * is one frame.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events tell the outcome
final class Http2Stream extends ChannelInboundHandlerAdapter implements Client {
  private static final int STATUS_TIMEOUT = 408;

  private final Clients clients;
  private final Edge edge;
  private final Http2Connection connection;
  private final RequestHead request;
  private ChannelHandlerContext context;
  private Exchange exchange; // null = not begun, or over
  private Http2Headers head; // of the response, not sent yet; null = none
  private boolean begun;
  private boolean contentRead; // all of the request's content
  private boolean contentHeld;
  private boolean answered; // the response has a head
  private long readSince; // ticks of the last byte of the request's content
  private long sentSince; // ticks at which the connection took bytes last, or had none
  private int waiting; // pieces of content that it has not taken yet

  Http2Stream(Clients clients, Http2Connection connection) {
    this.clients = clients;
    this.edge = clients.edge;
    this.connection = connection;
    this.request = new RequestHead(edge.settings().limits());
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    readSince = ticks();
    connection.add(this);
  }

  private long ticks() {
    return edge.time().ticks();
  }

  // ---- the request

  @Override
  public void channelRead(ChannelHandlerContext from, Object frame) {
    try {
      readSince = ticks();
      if (frame instanceof Http2HeadersFrame headers) {
        if (begun) {
          trailers(headers);
        } else {
          begin(headers);
        }
      } else if (frame instanceof Http2DataFrame data) {
        content(data);
      }
    } finally {
      ReferenceCountUtil.release(frame);
    }
  }

  private void begin(Http2HeadersFrame frame) {
    begun = true;
    contentRead = frame.isEndStream();
    byte[] bytes = Http2Heads.request(frame.headers(), !contentRead);
    if (bytes == null) {
      edge.count(Why.REFUSED_HEAD);
      reset(Http2Error.PROTOCOL_ERROR);
      return;
    }
    HeadError error = request.reset(bytes, 0, bytes.length);
    if (error != HeadError.OK) {
      edge.count(Why.REFUSED_HEAD);
      refuse(error.status(), error.text());
      return;
    }
    sentSince = ticks();
    exchange = edge.exchange(this);
    exchange.start();
  }

  /** Reads fields behind the content, which no origin is told of. */
  private void trailers(Http2HeadersFrame frame) {
    for (var field : frame.headers()) {
      if (field.getKey().length() == 0 || field.getKey().charAt(0) == ':') {
        edge.count(Why.REFUSED_CONTENT);
        fail(Http2Error.PROTOCOL_ERROR);
        return;
      }
    }
    if (frame.isEndStream()) {
      contentEnd();
    }
  }

  private void content(Http2DataFrame frame) {
    ByteBuf bytes = frame.content();
    if (exchange != null && bytes.isReadable()) {
      byte[] copy = ByteBufUtil.getBytes(bytes);
      exchange.content(copy, 0, copy.length);
    }
    if (frame.isEndStream()) {
      contentEnd();
    }
  }

  private void contentEnd() {
    contentRead = true;
    if (exchange != null) {
      exchange.contentEnd();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext at, Object event) {
    if (event instanceof Http2ResetFrame) {
      left();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext gone) {
    connection.remove(this);
    left();
  }

  private void left() {
    if (exchange != null) {
      edge.count(Why.CLIENT_GONE);
      drop();
    }
  }

  /** Gives the request up. */
  private void fail(Http2Error error) {
    drop();
    reset(error);
  }

  /** Ends the exchange, if there is one, without a response. */
  private void drop() {
    Exchange over = exchange;
    exchange = null;
    if (over != null) {
      over.gone();
    }
  }

  private void reset(Http2Error error) {
    context.writeAndFlush(new DefaultHttp2ResetFrame(error));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
    if (exchange != null) {
      edge.count(Why.REFUSED_CONTENT);
      drop();
    }
    if (!(cause instanceof Http2Exception)) { // else the multiplexer resets the stream
      at.close();
    }
  }

  /** Answers a request that has no exchange. */
  private void refuse(int status, String text) {
    byte[] body = (text + "\n").getBytes(StandardCharsets.US_ASCII);
    head(clients.refusal(status, body.length), body.length);
    write(body, 0, body.length);
    end();
  }

  // ---- the response

  @Override
  public RequestHead request() {
    return request;
  }

  @Override
  public boolean isSecure() {
    return true;
  }

  @Override
  public String protocol() {
    return "HTTP/2";
  }

  @Override
  public String address() {
    return connection.address();
  }

  @Override
  public void interim(HeadWriter interim) {
    if (!answered && interim.fits()) {
      context.writeAndFlush(new DefaultHttp2HeadersFrame(Http2Heads.response(interim)));
    }
  }

  @Override
  public boolean head(HeadWriter out, long length) {
    out.end();
    if (!out.fits()) {
      return false;
    }
    answered = true;
    head = Http2Heads.response(out);
    return true;
  }

  private void sendHead(boolean last) {
    if (head != null) {
      context.write(new DefaultHttp2HeadersFrame(head, last));
      head = null;
    }
  }

  @Override
  public boolean isWritable() {
    return context.channel().isWritable();
  }

  @Override
  public void write(byte[] bytes, int from, int to) {
    if (to > from) {
      sendHead(false);
      waiting++;
      context
          .write(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(bytes, from, to - from)))
          .addListener(
              taken -> {
                waiting--;
                sentSince = ticks();
              });
    }
  }

  @Override
  public void flush() {
    context.flush();
  }

  @Override
  public void end() {
    exchange = null;
    if (head != null) {
      sendHead(true);
    } else {
      context.write(new DefaultHttp2DataFrame(true));
    }
    context.flush();
    if (!contentRead) {
      reset(Http2Error.NO_ERROR); // the response needs no more of it (RFC 9113, section 8.1)
    }
  }

  @Override
  public void abort() {
    exchange = null;
    sendHead(false);
    reset(Http2Error.INTERNAL_ERROR);
  }

  @Override
  public void holdContent(boolean held) {
    if (contentHeld != held) {
      contentHeld = held;
      readSince = ticks();
      context.channel().config().setAutoRead(!held);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext changed) {
    if (exchange != null && isWritable()) {
      exchange.moved();
    }
  }

  /** Ends everything that has waited for too long. */
  void sweep(long now) {
    long stall = clients.settings.stall();
    if (waiting > 0 && now - sentSince > stall) {
      edge.count(Why.SLOW_READER);
      fail(Http2Error.CANCEL);
    } else if (exchange != null && !contentRead && !contentHeld && now - readSince > stall) {
      edge.count(Why.CONTENT_TIMEOUT);
      if (answered) {
        fail(Http2Error.CANCEL);
      } else {
        drop();
        refuse(STATUS_TIMEOUT, "the content did not come in time");
      }
    }
  }
}
