// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.net;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DefaultDnsResponse;
import io.netty.handler.codec.dns.DnsOpCode;
import io.netty.handler.codec.dns.DnsQuery;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordDecoder;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponse;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import io.netty.handler.codec.dns.TcpDnsQueryDecoder;
import io.netty.handler.codec.dns.TcpDnsResponseEncoder;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.netserv.translator.core.Admission;
import org.netserv.translator.core.Names;
import org.netserv.translator.core.Outcome;

/**
 * Answers questions for names over UDP and TCP (RFC 1035, RFC 7766). A name that has an address of
 * the other family alone gets an answer without a record. All other names and kinds of questions
 * are refused. An answer is at most 28 bytes longer than its question and has at most 300 bytes, so
 * that it always has room in a datagram.
 */
@SuppressWarnings("FutureReturnValueIgnored") // an answer that is lost is asked for again
final class Answerer extends SimpleChannelInboundHandler<DnsQuery> {
  /** The longest question over TCP: a name, an OPT record, and options of clients. */
  static final int LONGEST = 512;

  /** Seconds without a whole question, after which a connection is closed. */
  private static final int IDLE = 10;

  private final Names names;
  private final Relays relays;

  Answerer(Names names, Relays relays) {
    this.names = names;
    this.relays = relays;
  }

  /** Adds the handlers of a socket for questions. */
  static void into(ChannelPipeline pipeline, Names names, Relays relays) {
    pipeline.addLast(
        new DatagramDnsQueryDecoder(),
        new DatagramDnsResponseEncoder(),
        new Answerer(names, relays));
  }

  /**
   * Adds the handlers of a connection for questions. The idle time is that between whole questions,
   * so that single bytes do not keep a connection open.
   */
  static void overTcp(ChannelPipeline pipeline, Names names, Relays relays, Admission admission) {
    pipeline.addLast(
        new Asking(relays, admission),
        new TcpDnsQueryDecoder(DnsRecordDecoder.DEFAULT, LONGEST + Short.BYTES),
        new TcpDnsResponseEncoder(),
        new IdleStateHandler(IDLE, 0, 0, TimeUnit.SECONDS),
        new Answerer(names, relays));
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, DnsQuery query) {
    DnsResponse response =
        query instanceof DatagramDnsQuery datagram
            ? new DatagramDnsResponse(datagram.recipient(), datagram.sender(), query.id())
            : new DefaultDnsResponse(query.id());
    response.setRecursionDesired(query.isRecursionDesired());
    DnsResponseCode code = answer(query, response);
    response.setCode(code);
    boolean known = code.equals(DnsResponseCode.NOERROR);
    response.setAuthoritativeAnswer(known);
    Outcome outcome = known ? Outcome.DNS_ANSWERED : Outcome.DNS_REFUSED;
    context
        .writeAndFlush(response)
        .addListener(
            written -> relays.count(written.isSuccess() ? outcome : Outcome.DNS_MALFORMED));
  }

  private DnsResponseCode answer(DnsQuery query, DnsResponse response) {
    if (!query.opCode().equals(DnsOpCode.QUERY)) {
      return DnsResponseCode.NOTIMP;
    }
    if (query.count(DnsSection.QUESTION) != 1
        || !(query.recordAt(DnsSection.QUESTION) instanceof DnsQuestion question)) {
      return DnsResponseCode.FORMERR;
    }
    // A name with bytes that no answer can repeat makes the writing fail.
    response.addRecord(
        DnsSection.QUESTION,
        new DefaultDnsQuestion(question.name(), question.type(), question.dnsClass()));
    if (!names.has(question.name()) || question.dnsClass() != DnsRecord.CLASS_IN) {
      return DnsResponseCode.REFUSED;
    }
    boolean six = question.type().equals(DnsRecordType.AAAA);
    InetAddress address =
        six || question.type().equals(DnsRecordType.A) ? names.find(question.name(), six) : null;
    if (address != null) {
      response.addRecord(
          DnsSection.ANSWER,
          new DefaultDnsRawRecord(
              question.name(),
              question.type(),
              names.ttl(),
              Unpooled.wrappedBuffer(address.getAddress())));
    }
    return DnsResponseCode.NOERROR;
  }

  /** Closes a connection on which no question has come for a while. */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof IdleStateEvent) {
      context.close();
    }
  }

  /** Reads no more questions while the client leaves answers unread. */
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    context.channel().config().setAutoRead(context.channel().isWritable());
  }

  /**
   * Counts a message that is no question. It has no answer, and over TCP it ends the connection.
   */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof DecoderException) {
      relays.count(Outcome.DNS_MALFORMED);
    }
    if (context.channel() instanceof SocketChannel) {
      context.close();
    }
  }
}
