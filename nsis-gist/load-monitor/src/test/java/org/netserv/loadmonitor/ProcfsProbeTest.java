// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcfsProbeTest {
  private static final String CONFIG =
      """
      publisher: {name: sip, key: sip.key}
      server: {port: 5060}
      module: {bundle: a.jar, url: "http://192.0.2.10/a.jar", ttl: 60}
      edges: [{users: 198.51.100.1, feedback: "10.1.0.2:5070"}]
      """;

  @TempDir Path proc;

  private void write(String file, String text) throws IOException {
    Path path = proc.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  @Test
  void theKernelsTablesAreRead() throws IOException {
    String head =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid";
    write(
        "self/net/udp",
        head
            + "\n"
            + "  391: 0A0200C0:13C4 00000000:0000 07 00000000:00001500 00:00000000 00000000     0"
            + "        0 24155 2 0000000000000000 17\n"
            + "  392: 0A0200C0:13C5 00000000:0000 07 00000000:0000FFFF 00:00000000 00000000     0"
            + "        0 24156 2 0000000000000000 99\n");
    write(
        "self/net/snmp",
        "Ip: Forwarding\nIp: 1\nUdp: InDatagrams NoPorts InErrors\nUdp: 1234 5 6\n");
    write("pid", "100\n");
    write("100/stat", "100 (kama ilio) x) S 1 0 0 0 0 0 0 0 0 0 7 3 0 0");
    write("101/stat", "101 (kamailio) S 100 0 0 0 0 0 0 0 0 0 20 5 0 0");
    write("102/stat", "102 (other) S 1 0 0 0 0 0 0 0 0 0 500 500 0 0");
    LoadSample sample = new ProcfsProbe(proc, 5060, false, proc.resolve("pid"), () -> 7).sample();
    assertEquals(new LoadSample(7, 1234, 0x1500, 17, 350), sample);
  }

  @Test
  void thisMachineHasThem() throws IOException {
    for (boolean streams : new boolean[] {false, true}) {
      ProcfsProbe probe = new ProcfsProbe(Path.of("/proc"), 5060, streams, null, System::nanoTime);
      assertTrue(probe.sample().served() >= 0);
    }
  }

  /** The second socket listens, the third is another port's. */
  @Test
  void bytesThatWaitInConnectionsAreRead() throws IOException {
    write(
        "self/net/tcp",
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
            + "   0: 0A0200C0:13C4 0A3364C6:9C40 01 00000000:00001500 00:00000000 00000000     0\n"
            + "   1: 0A0200C0:13C4 00000000:0000 0A 00000000:00000007 00:00000000 00000000     0\n"
            + "   2: 0A0200C0:13C5 0A3364C6:9C41 01 00000000:00001500 00:00000000 00000000     0\n"
            + "   3: 0A0200C0:13C4 0A3364C6:9C42 01 00000000:00000010 00:00000000 00000000    "
            + " 0\n");
    LoadSample sample = new ProcfsProbe(proc, 5060, true, null, () -> 7).sample();
    assertEquals(new LoadSample(7, 0, 0x1510, 0, 0), sample);
  }

  @Test
  void sharesAreMaxMinFair() {
    assertArrayEquals(new double[] {50, 50}, Shares.of(100, new double[] {-1, -1}), 0.01);
    assertArrayEquals(new double[] {78, 22}, Shares.of(100, new double[] {500, 20}), 0.01);
    assertArrayEquals(new double[] {50, 50}, Shares.of(100, new double[] {500, 60}), 0.01);
    assertArrayEquals(new double[] {50, 50}, Shares.of(100, new double[] {10, 10}), 0.01);
  }

  @Test
  void theFileIsReadWithItsDefaults() throws IOException {
    write("config.yaml", CONFIG);
    MonitorConfig config = MonitorConfig.read(proc.resolve("config.yaml"));
    assertEquals(500, config.control().feedback());
    assertEquals("10.1.0.2:5070", config.edges().get(0).feedback());
  }

  @Test
  void theFileOfAProviderIsCompletedByIt() throws IOException {
    MonitorConfig.Publisher publisher = new MonitorConfig.Publisher("sip", Path.of("/sip.key"));
    MonitorConfig.PathRules path = new MonitorConfig.PathRules(null, 15, true, null, false);
    Path file = proc.resolve("overload.yaml");
    write("overload.yaml", CONFIG);
    IOException e =
        assertThrows(IOException.class, () -> MonitorConfig.read(file, publisher, path));
    assertTrue(e.getMessage().contains("publisher: belongs"), e.getMessage());
    write("overload.yaml", CONFIG.substring(CONFIG.indexOf('\n') + 1));
    MonitorConfig config = MonitorConfig.read(file, publisher, path);
    assertEquals(publisher, config.publisher());
    assertEquals(path, config.path());
    assertEquals(proc.resolve("a.jar"), config.module().bundle());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "server: {port: 5060} | server: {} | server.port",
        "server: {port: 5060} | server: {port: 5060, transport: sctp} | server.transport",
        "ttl: 60 | ttl: 5 | module.ttl",
        "name: sip | nam: sip | nam",
        "publisher: | 'control: {calm: 1}\npublisher:' | control.calm",
        "feedback: | feedbacks: | feedbacks"
      })
  void aWrongKeyIsNamed(String right, String wrong, String named) throws IOException {
    write("config.yaml", CONFIG.replace(right, wrong));
    IOException e =
        assertThrows(IOException.class, () -> MonitorConfig.read(proc.resolve("config.yaml")));
    assertTrue(e.getMessage().contains(named), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"10.1.0.2", "10.1.0.2:0", "10.1.0.2:65536", "host:5070", ":5070"})
  void addressesAreLiterals(String text) {
    assertThrows(IOException.class, () -> FeedbackSocket.address(text));
  }
}
