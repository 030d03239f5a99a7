// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.capture;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * SIP keep-alives in a capture on the user's link. Every request is matched with its answer by
 * Call-ID and CSeq.
 *
 * @param sent different requests
 * @param answered requests with a 2xx from the address and port to which they were sent
 * @param strange answers that match no request, come twice, are no 2xx, or have another source
 * @param rtt round-trip times of the answered requests
 */
public record KeepAlives(long sent, long answered, long strange, RoundTrips rtt) {

  /** A request that waits for its answer. */
  private record Request(long nanos, String source, String destination) {}

  /** Counts requests and answers while the capture is read. */
  private static final class Matcher {
    private final Map<String, Request> waiting = new HashMap<>();
    private final Set<String> done = new HashSet<>();
    private long[] rtt = new long[1024];
    private int answered;
    private long sent;
    private long strange;

    void packet(long nanos, Datagram datagram) {
      Optional<String> key = key(datagram.payload());
      if (key.isEmpty()) {
        return;
      }
      if (!datagram.payload().startsWith("SIP/2.0 ")) {
        Request request = new Request(nanos, datagram.source(), datagram.destination());
        // A retransmission is not another keep-alive.
        if (waiting.putIfAbsent(key.get(), request) == null) {
          sent++;
        }
        return;
      }
      Request request = waiting.get(key.get());
      if (request == null
          || done.contains(key.get())
          || !datagram.payload().startsWith("SIP/2.0 2")
          || !datagram.source().equals(request.destination())
          || !datagram.destination().equals(request.source())) {
        strange++;
        return;
      }
      done.add(key.get());
      if (answered == rtt.length) {
        rtt = Arrays.copyOf(rtt, 2 * answered);
      }
      rtt[answered++] = nanos - request.nanos();
    }

    KeepAlives result() {
      return new KeepAlives(sent, answered, strange, RoundTrips.of(rtt, answered));
    }
  }

  public static KeepAlives read(Path file) throws IOException {
    try (PcapReader reader =
        new PcapReader(new BufferedInputStream(Files.newInputStream(file), 1 << 16))) {
      Matcher matcher = new Matcher();
      for (PcapReader.Frame f = reader.next(); f != null; f = reader.next()) {
        PcapReader.Frame frame = f;
        Datagram.parse(frame.bytes()).ifPresent(d -> matcher.packet(frame.nanos(), d));
      }
      if (reader.truncated()) {
        throw new IOException(file + " ends within a frame");
      }
      return matcher.result();
    }
  }

  /** Returns Call-ID and CSeq, or empty if one of them is missing or cut off. */
  static Optional<String> key(String message) {
    Optional<String> call = header(message, "Call-ID:", "i:");
    Optional<String> cseq = header(message, "CSeq:", "CSeq:");
    return call.isPresent() && cseq.isPresent()
        ? Optional.of(call.get() + " " + cseq.get())
        : Optional.empty();
  }

  private static Optional<String> header(String message, String name, String compact) {
    for (int line = message.indexOf('\n') + 1; line > 0; line = message.indexOf('\n', line) + 1) {
      for (String wanted : new String[] {name, compact}) {
        int end = message.indexOf('\r', line);
        if (end > 0 && message.regionMatches(true, line, wanted, 0, wanted.length())) {
          return Optional.of(message.substring(line + wanted.length(), end).strip());
        }
      }
    }
    return Optional.empty();
  }
}
