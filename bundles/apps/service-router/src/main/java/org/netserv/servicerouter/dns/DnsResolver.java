// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.dns;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.netserv.serval.ServiceId;
import org.netserv.servicerouter.feed.Resolver;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;

/** Looks serviceIDs up in a zone of the DNS, on threads of its own that end when they idle. */
public final class DnsResolver implements Resolver {
  private static final int UDP_PAYLOAD = 1232;
  private static final int IDLE_SECONDS = 10;

  /** Seconds of an answer that nothing is there, if it does not say them (RFC 2308). */
  private static final long NONE_SECONDS = 5;

  private final Name zone;
  private final int type;
  private final DnsExchange exchange;
  private final Executor router;
  private final LongSupplier seconds;
  private final ThreadPoolExecutor threads;

  /**
   * Makes a resolver.
   *
   * @param servers recursive ones, or those of the zone
   * @param type SVCB or TXT
   * @param most look-ups at once
   * @param router runs the answers
   * @param seconds since 1970
   */
  public DnsResolver(
      List<InetSocketAddress> servers,
      String zone,
      int type,
      int most,
      Executor router,
      LongSupplier seconds) {
    this.zone = ServiceName.zone(zone);
    this.type = type;
    this.router = router;
    this.seconds = seconds;
    exchange = new DnsExchange(servers, null);
    threads =
        new ThreadPoolExecutor(
            most,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(most),
            work -> {
              Thread thread = new Thread(work, "service-router-dns");
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  @Override
  public void resolve(ServiceId id, Consumer<Answer> done) {
    try {
      threads.execute(
          () -> {
            Answer answer = answer(id);
            router.execute(() -> done.accept(answer));
          });
    } catch (RejectedExecutionException e) {
      done.accept(Answer.FAILED);
    }
  }

  private Answer answer(ServiceId id) {
    try {
      Message question =
          Message.newQuery(Record.newRecord(ServiceName.of(id, zone), type, DClass.IN));
      question.addRecord(new OPTRecord(UDP_PAYLOAD, 0, 0), Section.ADDITIONAL);
      Message answer = exchange.ask(question, false);
      int code = answer.getRcode();
      if (code != Rcode.NOERROR && code != Rcode.NXDOMAIN) {
        return Answer.FAILED;
      }
      List<Found> found = found(answer.getSection(Section.ANSWER));
      return found.isEmpty() ? Answer.none(negative(answer)) : Answer.of(found);
    } catch (IOException | RuntimeException e) {
      return Answer.FAILED;
    }
  }

  private List<Found> found(List<Record> records) {
    long now = seconds.getAsLong();
    List<Found> found = new ArrayList<>();
    for (Record record : records) {
      ServiceRecord read = record.getType() == type ? ServiceRecord.of(record) : null;
      if (read != null && read.until() > now) {
        long life = Math.min(record.getTTL(), read.until() - now);
        found.add(
            new Found(
                read.target(), read.bits(), read.priority(), read.weight(), Math.max(1, life)));
      }
    }
    return found;
  }

  /** Returns the seconds for which nothing is there. */
  private static long negative(Message answer) {
    for (Record record : answer.getSection(Section.AUTHORITY)) {
      if (record instanceof SOARecord soa) {
        return Math.min(soa.getTTL(), soa.getMinimum());
      }
    }
    return NONE_SECONDS;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
