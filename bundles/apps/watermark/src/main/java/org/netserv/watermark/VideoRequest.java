// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Pattern;

/** Answers the request of a connection. A connection has one. On the event loop. */
@SuppressWarnings("FutureReturnValueIgnored") // A write that fails ends with the channel closed.
final class VideoRequest extends SimpleChannelInboundHandler<HttpObject> {
  /** Names of files below the root, without a query, and never a step upwards. */
  private static final Pattern PATH =
      Pattern.compile("(?=.{6,200}$)(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+\\.mp4");

  /** Header of a response that tells whether the text is there. */
  private static final String HEADER = "Watermark";

  private final Videos videos;
  private final Counts tally;
  private boolean asked;
  private boolean waiting;

  VideoRequest(Videos videos, Counts tally) {
    this.videos = videos;
    this.tally = tally;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
    if (asked || !(message instanceof HttpRequest request)) {
      return;
    }
    asked = true;
    if (request.decoderResult().isFailure()) {
      refuse(context, HttpResponseStatus.BAD_REQUEST, Why.REFUSED_PATH);
    } else if (!request.method().equals(HttpMethod.GET)
        && !request.method().equals(HttpMethod.HEAD)) {
      refuse(context, HttpResponseStatus.METHOD_NOT_ALLOWED, Why.REFUSED_METHOD);
    } else if (!PATH.matcher(request.uri()).matches()) {
      refuse(context, HttpResponseStatus.NOT_FOUND, Why.REFUSED_PATH);
    } else {
      waiting = true;
      boolean head = request.method().equals(HttpMethod.HEAD);
      videos
          .get(request.uri())
          .whenCompleteAsync((video, e) -> answer(context, video, e, head), context.executor());
    }
  }

  private void refuse(ChannelHandlerContext context, HttpResponseStatus status, Why why) {
    tally.count(why);
    error(context, status);
  }

  private static void error(ChannelHandlerContext context, HttpResponseStatus status) {
    DefaultFullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status);
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_LENGTH, 0)
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
  }

  private void answer(ChannelHandlerContext context, Video video, Throwable failure, boolean head) {
    waiting = false;
    if (!context.channel().isActive()) {
      return;
    }
    if (failure != null) {
      error(context, status(failure));
      return;
    }
    try {
      send(context, video, head);
    } catch (IOException e) {
      tally.count(Why.STORE_FAILED);
      error(context, HttpResponseStatus.SERVICE_UNAVAILABLE);
    }
  }

  private static HttpResponseStatus status(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof RejectedExecutionException) {
      return HttpResponseStatus.SERVICE_UNAVAILABLE;
    }
    boolean absent =
        cause instanceof Fetch.StatusException answer
            && answer.status() == HttpResponseStatus.NOT_FOUND.code();
    return absent ? HttpResponseStatus.NOT_FOUND : HttpResponseStatus.BAD_GATEWAY;
  }

  private void send(ChannelHandlerContext context, Video video, boolean head) throws IOException {
    HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, "video/mp4")
        .set(HttpHeaderNames.CONTENT_LENGTH, video.length())
        .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE)
        .set(HEADER, video.applied() ? "applied" : "omitted; reason=" + video.omitted());
    FileChannel file = head ? null : FileChannel.open(video.file(), StandardOpenOption.READ);
    tally.count(Why.SERVED);
    context.write(response);
    if (file != null) {
      context.write(new DefaultFileRegion(file, 0, video.length()));
    }
    context
        .writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
        .addListener(ChannelFutureListener.CLOSE);
  }

  /** Closes a connection without progress, unless it waits for its video to be made. */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof IdleStateEvent && !waiting) {
      context.close();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}
