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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.ncm.Bound;
import org.netserv.ncm.DelegationBounds;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.ProbeKind;
import org.netserv.publisher.Destination;
import org.netserv.publisher.PathAnswer;
import org.netserv.publisher.PublisherClient;
import org.netserv.values.BadValueException;
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
  private static final int DEFAULT_TTL = 3600;

  @Parameters(paramLabel = "MODULE", description = "Bundle-SymbolicName, '_', version.")
  String module;

  @Option(names = "--url", paramLabel = "URL", description = "Where nodes download the bundle.")
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
      description = {
        "Removed after that long unless set up again (default 3600, or the longest that",
        "--delegation allows)."
      })
  Integer ttl;

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

  @Mixin SealedOptions sealed = new SealedOptions();

  @Option(
      names = "--dependencies",
      paramLabel = "LIST",
      description = "Building blocks that must be present: name;range,...")
  String dependencies;

  @Option(
      names = "--activate",
      paramLabel = "WHEN",
      description = {
        "now (default), or later: nodes fetch and verify the bundle and keep it for --ttl; the next",
        "SETUP of the same bundle runs it without a download."
      })
  String activate;

  @Option(
      names = "--notification",
      paramLabel = "URL",
      description = "XML-RPC endpoint called at the end state.")
  String notification;

  @Override
  public Integer call() throws Exception {
    ModuleNames.Parts name = ModuleNames.parse(module);
    Ncm.Builder message = Ncm.builder(Method.SETUP, name.symbolicName()).version(name.version());
    DelegationBounds bounds = delegation == null ? null : readDelegation().bounds();
    settings(message, bounds);
    message.set(Header.URL, url(bounds)).set(Header.TTL, ttl(bounds));
    message.set(Header.DIGEST, digest(name.symbolicName(), bounds));
    filter.addTo(message);
    FilterOptions.set(message, Header.IDLE_TTL, idleTtl == null ? null : String.valueOf(idleTtl));
    FilterOptions.set(message, Header.DEPENDENCIES, dependencies);
    FilterOptions.set(message, Header.NOTIFICATION, notification);
    FilterOptions.set(message, Header.ACTIVATE, activate);
    if (!properties.isEmpty()) {
      message.properties(properties);
    }
    if (publisher() == null) {
      throw new CommandException(
          ExitCode.USAGE, "--user: a SETUP is always signed by its publisher");
    }
    if (!sealed.isEmpty() && !path.onPath()) {
      throw new CommandException(
          ExitCode.USAGE, "--sealed: for nodes on a path; give --to, or --property without one");
    }
    return deliver(message, true);
  }

  /** Sends a SETUP along the path; a PROBE goes before it if properties are to be sealed. */
  @Override
  CompletionStage<PathAnswer> setUp(PublisherClient client, Ncm setup, Destination destination)
      throws CommandException {
    if (sealed.isEmpty()) {
      return super.setUp(client, setup, destination);
    }
    Map<String, String> secrets = sealed.properties();
    boolean knownOnly = path.known != null || !named().isEmpty();
    return client
        .probe(destination, ProbeKind.NODE)
        .thenCompose(
            nodes -> {
              try {
                String value = SealedOptions.seal(secrets, nodes, knownOnly);
                return client.setup(
                    setup.toBuilder().set(Header.SEALED, value).build(), destination);
              } catch (IOException | BadValueException | NcmException e) {
                return CompletableFuture.failedFuture(e);
              }
            });
  }

  /** Sets the headers that a delegation demands. Options of the command replace them. */
  private static void settings(Ncm.Builder message, DelegationBounds bounds) {
    if (bounds != null) {
      bounds.settings().forEach(message::set);
    }
  }

  /** Returns the URL of the command, or the one that a delegation allows. */
  private String url(DelegationBounds bounds) throws CommandException {
    String only = bounds == null ? "/" : bounds.values().getOrDefault(Bound.URL, "/");
    if (url == null && only.endsWith("/")) {
      throw new CommandException(ExitCode.USAGE, "--url: where do nodes download the bundle?");
    }
    return url == null ? only : url;
  }

  private int ttl(DelegationBounds bounds) {
    if (ttl != null) {
      return ttl;
    }
    boolean bounded = bounds != null && bounds.values().containsKey(Bound.MAX_TTL);
    return bounded ? Math.min(DEFAULT_TTL, bounds.maxTtl()) : DEFAULT_TTL;
  }

  private String digest(String symbolicName, DelegationBounds bounds) throws CommandException {
    if (bundle == null && digest == null && bounds != null) {
      return bounds
          .digest(symbolicName)
          .orElseThrow(
              () ->
                  new CommandException(
                      ExitCode.USAGE,
                      "--delegation: not one digest of " + symbolicName + "; give --digest"));
    }
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
