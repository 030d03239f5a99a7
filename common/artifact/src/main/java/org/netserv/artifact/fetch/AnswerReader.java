// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.fetch;

import static org.netserv.artifact.fetch.FetchException.Reason.CONNECT;
import static org.netserv.artifact.fetch.FetchException.Reason.PROTOCOL;
import static org.netserv.artifact.fetch.FetchException.Reason.TIMEOUT;
import static org.netserv.artifact.fetch.FetchException.Reason.TOO_LARGE;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.ReadTimeoutException;
import java.io.ByteArrayOutputStream;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLException;

/** Collects one answer, on the channel's thread; the bound on its length holds at each piece. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty tells of failures through the pipeline
final class AnswerReader extends SimpleChannelInboundHandler<HttpObject> {
  private static final int OK = 200;

  private final long maxBytes;
  private final CompletableFuture<Answer> result;
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private int status = -1;
  private Optional<String> location = Optional.empty();

  AnswerReader(long maxBytes, CompletableFuture<Answer> result) {
    this.maxBytes = maxBytes;
    this.result = result;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, HttpObject message)
      throws FetchException {
    if (message.decoderResult().isFailure()) {
      throw new FetchException(
          PROTOCOL, "the server's answer is not HTTP", message.decoderResult().cause());
    }
    if (message instanceof HttpResponse response) {
      begin(context, response);
    }
    if (message instanceof HttpContent content && !result.isDone() && status >= OK) {
      add(content);
      if (content instanceof LastHttpContent) {
        finish(context);
      }
    }
  }

  /** Interim answers (1xx) are followed by the real one. */
  private void begin(ChannelHandlerContext context, HttpResponse response) throws FetchException {
    status = response.status().code();
    location = Optional.ofNullable(response.headers().get(HttpHeaderNames.LOCATION));
    if (status > OK) {
      // Whatever else it says is of no interest.
      finish(context);
      return;
    }
    String encoding = response.headers().get(HttpHeaderNames.CONTENT_ENCODING, "identity");
    if (status == OK && !encoding.equalsIgnoreCase("identity")) {
      throw new FetchException(
          PROTOCOL, "the server's answer is encoded, although none was accepted");
    }
    if (status == OK && contentLength(response) > maxBytes) {
      throw new FetchException(
          TOO_LARGE, "the answer is announced as longer than " + maxBytes + " bytes");
    }
  }

  private static long contentLength(HttpResponse response) throws FetchException {
    try {
      return HttpUtil.getContentLength(response, 0L);
    } catch (NumberFormatException e) {
      throw new FetchException(PROTOCOL, "the answer's length is not a number", e);
    }
  }

  private void add(HttpContent content) throws FetchException {
    int length = content.content().readableBytes();
    if (body.size() + (long) length > maxBytes) {
      throw new FetchException(TOO_LARGE, "the answer is longer than " + maxBytes + " bytes");
    }
    byte[] piece = new byte[length];
    content.content().readBytes(piece);
    body.writeBytes(piece);
  }

  private void finish(ChannelHandlerContext context) {
    result.complete(new Answer(status, location, body.toByteArray()));
    context.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    result.completeExceptionally(
        new FetchException(PROTOCOL, "the server closed before its answer was whole"));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    result.completeExceptionally(named(cause));
    context.close();
  }

  static FetchException named(Throwable cause) {
    if (cause instanceof FetchException named) {
      return named;
    }
    if (cause instanceof ReadTimeoutException) {
      return new FetchException(TIMEOUT, "the server fell silent", cause);
    }
    Throwable inner = cause.getCause() == null ? cause : cause.getCause();
    if (cause instanceof SSLException || inner instanceof SSLException) {
      return new FetchException(CONNECT, "TLS failed", cause);
    }
    return new FetchException(PROTOCOL, "the connection failed", cause);
  }
}
