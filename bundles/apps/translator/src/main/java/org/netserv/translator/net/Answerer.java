// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.net;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DnsOpCode;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import java.net.InetAddress;
import org.netserv.translator.core.Names;
import org.netserv.translator.core.Outcome;

/**
 * Answers questions for names over UDP (RFC 1035). A name has one address, so the other family has
 * no record. All other names and kinds of questions are refused. An answer is at most 28 bytes
 * longer than its question.
 */
final class Answerer extends SimpleChannelInboundHandler<DatagramDnsQuery> {
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

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // an answer that is lost is asked for again
  protected void channelRead0(ChannelHandlerContext context, DatagramDnsQuery query) {
    DatagramDnsResponse response =
        new DatagramDnsResponse(query.recipient(), query.sender(), query.id());
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

  private DnsResponseCode answer(DatagramDnsQuery query, DatagramDnsResponse response) {
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
    InetAddress address = names.find(question.name());
    if (address == null || question.dnsClass() != DnsRecord.CLASS_IN) {
      return DnsResponseCode.REFUSED;
    }
    byte[] bytes = address.getAddress();
    DnsRecordType type = bytes.length == Integer.BYTES ? DnsRecordType.A : DnsRecordType.AAAA;
    if (question.type().equals(type)) {
      response.addRecord(
          DnsSection.ANSWER,
          new DefaultDnsRawRecord(
              question.name(), type, names.ttl(), Unpooled.wrappedBuffer(bytes)));
    }
    return DnsResponseCode.NOERROR;
  }

  /** A datagram that is no question has no answer. */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    relays.count(Outcome.DNS_MALFORMED);
  }
}
