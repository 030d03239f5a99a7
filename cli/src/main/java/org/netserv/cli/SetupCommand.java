// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "setup",
    description = {
      "Ask nodes to run a module, or to go on running it: with --to those on the path to a user,",
      "without it the node on this machine."
    },
    footer = {
      "",
      "Example:  netserv setup NetServ.apps.KeepAlive_0.1.0 --to 198.51.100.7 \\",
      "            --user janedoe --key janedoe.key \\",
      "            --url http://192.0.2.10/keepalive.jar --bundle keepalive.jar --ttl 3600 \\",
      "            --filter-port 5060 --filter-proto udp --property pass-every=20"
    })
class SetupCommand extends ModuleMessage {
  @Parameters(paramLabel = "MODULE", description = "Bundle-SymbolicName, '_', version.")
  String module;

  @Option(
      names = "--url",
      required = true,
      paramLabel = "URL",
      description = "Where nodes download the bundle.")
  String url;

  @Option(
      names = "--bundle",
      paramLabel = "FILE",
      description = "The bundle as it is at the URL: its digest goes into the message.")
  Path bundle;

  @Option(
      names = "--digest",
      paramLabel = "HEX",
      description = "The digest (SHA-256) instead of the bundle.")
  String digest;

  @Option(
      names = "--ttl",
      paramLabel = "SECONDS",
      defaultValue = "3600",
      description = "Removed after that long unless set up again (default 3600).")
  int ttl;

  @Option(
      names = "--idle-ttl",
      paramLabel = "SECONDS",
      description = "Removed after that long without a packet or connection.")
  Integer idleTtl;

  @Mixin FilterOptions filter = new FilterOptions();

  @Option(
      names = "--property",
      paramLabel = "KEY=VALUE",
      description = "Configuration of the module; repeatable.")
  Map<String, String> properties = new LinkedHashMap<>();

  @Option(
      names = "--dependencies",
      paramLabel = "LIST",
      description = "Building blocks that must be present: name;range,...")
  String dependencies;

  @Option(
      names = "--notification",
      paramLabel = "URL",
      description = "XML-RPC endpoint called at the end state.")
  String notification;

  @Override
  public Integer call() throws Exception {
    ModuleNames.Parts name = ModuleNames.parse(module);
    Ncm.Builder message = Ncm.builder(Method.SETUP, name.symbolicName()).version(name.version());
    message.set(Header.URL, url).set(Header.TTL, ttl).set(Header.DIGEST, digest());
    filter.addTo(message);
    FilterOptions.set(message, Header.IDLE_TTL, idleTtl == null ? null : String.valueOf(idleTtl));
    FilterOptions.set(message, Header.DEPENDENCIES, dependencies);
    FilterOptions.set(message, Header.NOTIFICATION, notification);
    if (!properties.isEmpty()) {
      message.properties(properties);
    }
    if (publisher() == null) {
      throw new CommandException(
          ExitCode.USAGE, "--user: a SETUP is always signed by its publisher");
    }
    return deliver(message, true);
  }

  private String digest() throws CommandException {
    if ((bundle == null) == (digest == null)) {
      throw new CommandException(
          ExitCode.USAGE, "give the bundle or its digest: --bundle FILE or --digest HEX");
    }
    return digest != null ? digest : sha256(bundle);
  }

  static String sha256(Path file) throws CommandException {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    } catch (IOException e) {
      throw new CommandException(ExitCode.USAGE, "cannot read " + file + ": " + e.getMessage(), e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
