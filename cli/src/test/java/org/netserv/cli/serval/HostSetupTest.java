// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.command.CommandException;

class HostSetupTest {
  private static final int PORT = 54325;

  @TempDir Path dir;
  private final FakeHost host = new FakeHost();
  private Path state;
  private Path resolv;
  private HostSetup setup;

  @BeforeEach
  void aMachineWithTwoInterfaces() throws IOException {
    host.says("ip -j link show", 0, links("lo", "65536", "eth0", "1500", "wlan0", "1400"));
    host.says("ip -j -4 route", 0, "[{\"dst\":\"default\",\"dev\":\"eth0\"}]");
    host.says("ip -j -6 route", 0, "[{\"dst\":\"default\",\"dev\":\"wlan0\"}]");
    host.says("ip -j -4 address", 0, "[{},{}]");
    host.says("resolvectl", 127, "no such program");
    state = dir.resolve("state");
    resolv = dir.resolve("resolv.conf");
    Files.writeString(resolv, "nameserver 192.0.2.53\n");
    Path dist = dir.resolve("dist");
    for (String file : List.of("bin/sald", "kernel/sal_flow.bpf.o", "kernel/sal_listen.bpf.o")) {
      Files.createDirectories(dist.resolve(file).getParent());
      Files.writeString(dist.resolve(file), "");
    }
    setup = new HostSetup(host, dist, state);
  }

  private static String links(String... namesAndMtus) {
    List<String> links = new ArrayList<>();
    for (int i = 0; i < namesAndMtus.length; i += 2) {
      links.add("{\"ifname\":\"%s\",\"mtu\":%s}".formatted(namesAndMtus[i], namesAndMtus[i + 1]));
    }
    return links.toString();
  }

  private HostSettings check(String... interfaces) throws CommandException {
    return setup.check(
        List.of(interfaces),
        SaldOptions.of(PORT, null, false),
        ControllerWords.NONE,
        "serval",
        resolv,
        false);
  }

  private String refusal(String... interfaces) {
    return assertThrows(CommandException.class, () -> check(interfaces)).getMessage();
  }

  @Test
  void theInterfacesOfTheDefaultRoutesAreThePreset() throws CommandException {
    assertEquals(List.of("eth0", "wlan0"), check().interfaces());
    assertEquals(1360, check().mtu(), "40 below the smallest");
    assertEquals(1460, check("eth0").mtu());
    assertFalse(host.commands.stream().anyMatch(c -> c.startsWith("ip link")), "nothing changed");
  }

  /** The commands of docs/protocols/sald.md, "Set-up of a host", are those of this class. */
  @Test
  void theStepsAreThoseOfThePage() throws Exception {
    String page = Files.readString(Path.of("../docs/protocols/sald.md"));
    List<String> documented =
        Pattern.compile("^    (ip .*)$", Pattern.MULTILINE)
            .matcher(page)
            .results()
            .map(line -> line.group(1))
            .toList();
    assertEquals(6, documented.size());
    List<String> steps =
        setup.steps(check("eth0")).stream().map(step -> String.join(" ", step)).toList();
    assertEquals(documented, steps.subList(2, steps.size()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ppp0|ppp0:5000|--interface eth7: there is no such interface",
        "eth7|eth7:1280|--interface eth7: its MTU is 1280, and IPv6 over SAL needs 1320",
        "sal0|eth7:1500|sal0: there is such an interface, which this command has not made; remove"
            + " it",
        "sal1|eth7:1500|sal1: there is such an interface, which this command has not made; remove"
            + " it",
      })
  void aBadMachineIsRefusedByName(String other, String link, String message) {
    String[] pair = link.split(":", -1);
    host.says("ip -j link show", 0, links(pair[0], pair[1], other, "1500"));
    assertEquals(message, refusal("eth7"));
    assertFalse(setup.isUp());
  }

  @Test
  void surrogatesNeedTheirNetwork() {
    host.says("ip -j -4 address", 0, "[{},{\"ifname\":\"wlan0\"}]");
    assertTrue(refusal("eth0").startsWith("198.18.0.0/15: wlan0 has an address"));
  }

  @Test
  void noRouteAndNoInterfaceIsRefused() {
    host.says("ip -j -4 route", 0, "").says("ip -j -6 route", 0, "[]");
    assertTrue(refusal().startsWith("--interface: there is no default route"));
  }

  @Test
  void otherBadSettingsAreRefusedByName() throws IOException {
    assertTrue(bad(0, null, "serval").startsWith("--port 0"));
    assertTrue(bad(PORT, dir.resolve("none"), "serval").startsWith("--orders"));
    assertTrue(bad(PORT, null, "a.b").startsWith("--suffix a.b"));
    Files.delete(dir.resolve("dist/kernel/sal_listen.bpf.o"));
    assertTrue(bad(PORT, null, "serval").startsWith("sald's hooks: "));
    Files.delete(dir.resolve("dist/bin/sald"));
    assertTrue(bad(PORT, null, "serval").startsWith("sald: "));
  }

  private String bad(int port, Path orders, String suffix) {
    return assertThrows(
            CommandException.class,
            () ->
                setup.check(
                    List.of("eth0"),
                    SaldOptions.of(port, orders, false),
                    ControllerWords.NONE,
                    suffix,
                    resolv,
                    false))
        .getMessage();
  }

  @Test
  void downLeavesNothing() throws Exception {
    setup.make(check("eth0"));
    assertTrue(setup.isUp());
    assertTrue(Files.readString(resolv).contains("nameserver 198.18.0.1\nnameserver 192.0.2.53"));
    Files.writeString(resolv, Files.readString(resolv) + "search example\n");
    host.commands.clear();
    assertEquals(List.of(), setup.undo());
    assertEquals(
        List.of(
            dir.resolve("dist/bin/sald") + " --down --pins " + state + "/bpf/sald --interface eth0",
            "ip link delete sal0",
            "umount " + state + "/bpf"),
        host.commands);
    assertEquals("nameserver 192.0.2.53\nsearch example\n", Files.readString(resolv));
    assertFalse(Files.exists(state));
  }

  /** Each step may fail. What was made before it is undone, and the command and reason are told. */
  @Test
  void aSetUpThatFailsIsUndone() throws Exception {
    for (List<String> step : setup.steps(check("eth0"))) {
      String command = String.join(" ", step);
      host.says(command, 2, "it broke");
      HostSettings settings = check("eth0");
      host.commands.clear();
      CommandException refused =
          assertThrows(CommandException.class, () -> setup.make(settings), command);
      assertEquals(command + ": it broke", refused.getMessage());
      assertTrue(host.commands.contains("ip link delete sal0"), command);
      assertFalse(Files.exists(state), command);
      assertEquals("nameserver 192.0.2.53\n", Files.readString(resolv));
      host.says(command, 0, "");
    }
  }

  @Test
  void whatCannotBeUndoneIsTold() throws Exception {
    setup.make(check("eth0"));
    host.says("umount", 32, "target is busy");
    host.says("ip link delete", 1, "Cannot find device \"sal0\"");
    assertEquals(List.of("umount " + state + "/bpf: target is busy"), setup.undo());
  }

  @Test
  void systemdResolvedGetsTheEntryAtTheLink() throws Exception {
    host.says("resolvectl", 0, "");
    HostSettings settings =
        setup.check(
            List.of("eth0"),
            SaldOptions.of(PORT, null, true),
            ControllerWords.NONE,
            "names",
            resolv,
            true);
    assertEquals("resolved", settings.resolver());
    assertTrue(setup.command(settings).contains("--native"));
    assertTrue(
        setup.command(settings).contains(dir.resolve("dist/kernel/sal_listen.bpf.o").toString()));
    assertFalse(setup.command(check("eth0")).contains("--native"));
    setup.make(settings);
    assertTrue(host.commands.contains("resolvectl dns sal0 198.18.0.1"));
    assertTrue(host.commands.contains("resolvectl domain sal0 ~names"));
    assertEquals("nameserver 192.0.2.53\n", Files.readString(resolv));
  }

  @Test
  void settingsAreKeptAsTheyWere() throws Exception {
    for (boolean nativeForm : new boolean[] {false, true}) {
      SaldOptions sald = SaldOptions.of(PORT, state.resolve("orders"), nativeForm);
      ControllerWords controller =
          nativeForm
              ? ControllerWords.NONE
              : ControllerWords.of(dir.resolve("a.key"), List.of("192.0.2.1"), List.of("40=tcp"));
      HostSettings settings =
          new HostSettings(
              List.of("eth0", "wlan0"), 1360, sald, controller, "serval", "none", true, 7);
      settings.keep(state);
      assertEquals(settings, HostSettings.read(state));
    }
  }

  @Test
  void systemdRunsSaldAndStartsItAnew() throws CommandException {
    SaldProcess process = new SaldProcess(host, dir.resolve("dist"), state);
    List<String> command = process.unit(check("eth0"));
    assertTrue(command.contains("--unit=netserv-sald"));
    assertTrue(command.contains("--property=Restart=always"));
    assertEquals(
        setup.command(check("eth0")),
        command.subList(command.indexOf(dir.resolve("dist/bin/sald").toString()), command.size()));
  }

  @Test
  void aControllerIsAUnitOfItsOwnIfThereIsAKey() throws Exception {
    ControllerWords words =
        ControllerWords.of(dir.resolve("a.key"), List.of("192.0.2.1", "192.0.2.2"), List.of());
    HostSettings settings =
        setup.check(
            List.of("eth0"), SaldOptions.of(PORT, null, false), words, "serval", resolv, true);
    ControllerProcess process = new ControllerProcess(host, dir.resolve("dist"), state);
    process.start(check("eth0"));
    process.stop(check("eth0"));
    assertFalse(host.commands.stream().anyMatch(c -> c.contains("netserv-serval-controller")));
    process.start(settings);
    String unit = host.commands.get(host.commands.size() - 1);
    assertTrue(unit.contains("--unit=netserv-serval-controller"), unit);
    assertTrue(unit.contains("--property=CapabilityBoundingSet= "), unit);
    String command =
        "serval controller --state %s --key %s/a.key --router 192.0.2.1 --router 192.0.2.2"
            .formatted(state, dir);
    assertTrue(unit.endsWith(command), unit);
    process.stop(settings);
    assertEquals(
        "systemctl stop netserv-serval-controller", host.commands.get(host.commands.size() - 1));
  }
}
