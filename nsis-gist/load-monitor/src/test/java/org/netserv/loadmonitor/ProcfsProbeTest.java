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
    LoadSample sample = new ProcfsProbe(proc, 5060, proc.resolve("pid"), () -> 7).sample();
    assertEquals(new LoadSample(7, 1234, 0x1500, 17, 350), sample);
  }

  @Test
  void thisMachineHasThem() throws IOException {
    LoadSample sample = new ProcfsProbe(Path.of("/proc"), 5060, null, System::nanoTime).sample();
    assertTrue(sample.served() >= 0);
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "server: {port: 5060} | server: {} | server.port",
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
