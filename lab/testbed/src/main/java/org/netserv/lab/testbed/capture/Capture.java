// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Wait;

/**
 * A run of tcpdump on one interface of a testbed. A capture that lost packets is an error, not a
 * result.
 */
public final class Capture {
  /**
   * Bytes to capture of a packet, enough for the headers up to Call-ID and CSeq of every message
   * that the lab sends.
   */
  private static final String SNAPLEN = "640";

  private static final int SETTLE_MILLIS = 500;
  private static final int SETTLE_MOST = 8;

  private static final Pattern COUNTS =
      Pattern.compile(
          "(\\d+) packets captured\\s+(\\d+) packets received by filter\\s+0 packets dropped");

  private final Testbed testbed;
  private final String node;
  private final String name;
  private final Path file;
  private final Process process;

  private Capture(Testbed testbed, String node, String name, Path file, Process process) {
    this.testbed = testbed;
    this.node = node;
    this.name = name;
    this.file = file;
    this.process = process;
  }

  /**
   * Begins a capture, and returns when tcpdump takes packets. The shell opens the file, because
   * tcpdump gives up root's rights first. The tcpdump of Ubuntu 24.04 ends with a fault when it is
   * told to keep them.
   */
  public static Capture start(
      Testbed testbed, String node, String device, String name, String filter) throws IOException {
    Path file = testbed.state().resolve(name + ".pcap");
    String log = "tcpdump-" + name;
    Process process =
        testbed.spawn(
            node,
            log,
            List.of(
                "sh",
                "-c",
                "exec \"$@\" >\"$0\"",
                file.toString(),
                "tcpdump",
                "-i",
                device,
                "-n",
                "-s",
                SNAPLEN,
                "-B",
                "32768",
                "--immediate-mode",
                "-U",
                "-w",
                "-",
                filter));
    Wait.until(
        "tcpdump on " + node,
        Duration.ofSeconds(10),
        () -> {
          if (!process.isAlive()) {
            throw new LabException("tcpdump ended: " + testbed.tail(node, log, 5));
          }
          return testbed.tail(node, log, 3).contains("listening on");
        });
    return new Capture(testbed, node, log, file, process);
  }

  /** Ends the capture, reads its file and deletes the file. */
  public KeepAlives finish() throws IOException {
    stop();
    KeepAlives result = KeepAlives.read(file);
    Files.delete(file);
    return result;
  }

  /**
   * Ends the capture and returns its UDP datagrams in the order of the wire, as far as they were
   * captured.
   */
  public List<Datagram> datagrams() throws IOException {
    List<Datagram> all = new ArrayList<>();
    frames().forEach(frame -> Datagram.parse(ByteBuffer.wrap(frame)).ifPresent(all::add));
    return all;
  }

  /** Ends the capture and returns its frames, as far as they were captured. */
  public List<byte[]> frames() throws IOException {
    return timed().stream().map(frame -> frame.bytes().array()).toList();
  }

  /** Ends the capture and returns its frames with their times. */
  public List<PcapReader.Frame> timed() throws IOException {
    stop();
    return read();
  }

  /**
   * Ends the capture while packets may still come, and returns its frames with their times. Packets
   * of the last second may be missing, and none before.
   */
  public List<PcapReader.Frame> timedSoFar() throws IOException {
    end();
    return read();
  }

  private List<PcapReader.Frame> read() throws IOException {
    List<PcapReader.Frame> all = new ArrayList<>();
    try (PcapReader reader = new PcapReader(Files.newInputStream(file))) {
      for (PcapReader.Frame frame = reader.next(); frame != null; frame = reader.next()) {
        byte[] bytes = new byte[frame.bytes().remaining()];
        frame.bytes().duplicate().get(bytes);
        all.add(new PcapReader.Frame(frame.nanos(), ByteBuffer.wrap(bytes)));
      }
    }
    Files.delete(file);
    return all;
  }

  private void stop() throws IOException {
    Matcher counts = end();
    if (!counts.group(1).equals(counts.group(2))) {
      throw notWhole();
    }
  }

  /** Ends tcpdump. Returns the numbers of captured packets and of arrived ones. */
  private Matcher end() throws IOException {
    settle();
    process.destroy();
    try {
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        throw new LabException("tcpdump on " + node + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    }
    Matcher counts = COUNTS.matcher(testbed.tail(node, name, 5));
    if (!counts.find()) {
      throw notWhole();
    }
    return counts;
  }

  /** Waits until nothing is written any more: tcpdump takes no packet after it is asked to end. */
  private void settle() throws IOException {
    long before = -1;
    long now = Files.size(file);
    for (int i = 0; i < SETTLE_MOST && now != before; i++) {
      Wait.pause(SETTLE_MILLIS);
      before = now;
      now = Files.size(file);
    }
  }

  private LabException notWhole() throws IOException {
    return new LabException("the capture is not whole: " + testbed.tail(node, name, 5));
  }
}
