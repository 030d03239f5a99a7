// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.netserv.command.JsonCommand;

/**
 * The set-up of a host as it was asked for, and as {@code host.json} keeps it, so that {@code down}
 * undoes just that.
 *
 * @param interfaces toward the network
 * @param mtu of sal0
 * @param sald options of sald
 * @param controller options of the controller
 * @param suffix last label of the services' names
 * @param resolver "resolved" for systemd-resolved, the path of a resolv.conf, or "none"
 * @param unit true if systemd runs sald
 * @param pid of sald if systemd does not run it; 0 = not started
 */
public record HostSettings(
    List<String> interfaces,
    int mtu,
    SaldOptions sald,
    ControllerWords controller,
    String suffix,
    String resolver,
    boolean unit,
    long pid) {
  static final String RESOLVED = "resolved";
  static final String NO_RESOLVER = "none";
  private static final String FILE = "host.json";

  public HostSettings {
    interfaces = List.copyOf(interfaces);
  }

  HostSettings with(long newPid) {
    return new HostSettings(interfaces, mtu, sald, controller, suffix, resolver, unit, newPid);
  }

  /** Returns the settings as a document. */
  public ObjectNode json() {
    ObjectNode document = JsonCommand.MAPPER.createObjectNode();
    interfaces.forEach(document.putArray("interfaces")::add);
    sald.into(document);
    controller.into(document);
    return document
        .put("mtu", mtu)
        .put("suffix", suffix)
        .put("resolver", resolver)
        .put("unit", unit)
        .put("pid", pid);
  }

  static boolean kept(Path state) {
    return Files.exists(state.resolve(FILE));
  }

  void keep(Path state) throws IOException {
    Files.createDirectories(state);
    Files.writeString(state.resolve(FILE), json().toPrettyString());
  }

  /** Reads the settings of a host that is up. */
  static HostSettings read(Path state) throws IOException {
    JsonNode document = JsonCommand.MAPPER.readTree(state.resolve(FILE).toFile());
    List<String> interfaces = new ArrayList<>();
    document.path("interfaces").forEach(name -> interfaces.add(name.asText()));
    return new HostSettings(
        interfaces,
        document.path("mtu").asInt(),
        SaldOptions.read(document),
        ControllerWords.read(document),
        document.path("suffix").asText(),
        document.path("resolver").asText(),
        document.path("unit").asBoolean(),
        document.path("pid").asLong());
  }
}
