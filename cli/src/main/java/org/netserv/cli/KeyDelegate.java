// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.ncm.Bound;
import org.netserv.ncm.Delegation;
import org.netserv.ncm.DelegationBounds;
import org.netserv.ncm.DelegationIssuer;
import org.netserv.ncm.PropertyList;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "delegate",
    description = {
      "Let another key sign SETUP, REMOVE and PROBE in your name, for a while and within bounds.",
      "Send the file to the holder of that key; nodes take it if their policy grants you delegation."
    },
    footer = {
      "",
      "Example:  netserv key delegate --user janedoe --key janedoe.key --for alice.pub \\",
      "            --bundle app-signed.jar --url http://192.0.2.10/ --to 192.0.2.10 \\",
      "            --filter-proto udp --filter-port 5060 --lifetime 3600 --out alice.delegation"
    })
final class KeyDelegate extends JsonCommand {
  @Option(names = "--user", required = true, paramLabel = "NAME", description = "The publisher.")
  String user;

  @Option(
      names = "--key",
      required = true,
      paramLabel = "FILE",
      description = "The publisher's private key, PEM.")
  Path key;

  @Option(
      names = "--for",
      required = true,
      paramLabel = "FILE",
      description = "The delegate's public key: its .pub file.")
  Path delegate;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "How nodes' audit logs call the delegate (default: the name of its .pub file).")
  String name;

  @Option(
      names = "--method",
      split = ",",
      paramLabel = "METHOD",
      description = "setup, remove, probe; repeatable (default: all three).")
  List<String> methods = List.of("setup", "remove", "probe");

  @Option(
      names = "--bundle",
      paramLabel = "FILE",
      description = "A bundle as it is at the URL: its module, by digest; repeatable.")
  List<Path> bundles = List.of();

  @Option(
      names = "--module",
      paramLabel = "NAME[;DIGEST]",
      description = "A module without its file; repeatable.")
  List<String> modules = List.of();

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "Where bundles are; all below it when it ends in a slash.")
  String url;

  @Option(
      names = "--to",
      required = true,
      split = ",",
      paramLabel = "PREFIX",
      description = "Destinations of the flows; repeatable.")
  List<String> to;

  @Option(
      names = "--from",
      split = ",",
      paramLabel = "PREFIX",
      description = "Sources of the flows; repeatable (default: any).")
  List<String> from = List.of();

  @Option(
      names = "--proven",
      description = "Only the first node acts, which has proved the source of the flow by GIST.")
  boolean proven;

  @Option(
      names = "--filter-port",
      paramLabel = "LIST",
      description = "Destination ports of the packets that the module sees (default: all).")
  String port;

  @Option(
      names = "--filter-proto",
      paramLabel = "LIST",
      description = "Their protocols (default: the module sees no packets).")
  String proto;

  @Option(
      names = "--filter-prefix",
      paramLabel = "LIST",
      description = "Their destinations (default: as your policy on the node has it).")
  String prefix;

  @Option(
      names = "--filter-match",
      paramLabel = "EXPRESSION",
      description = "What they must be besides, in tcpdump's words.")
  String match;

  @Option(
      names = "--idle-ttl",
      paramLabel = "SECONDS",
      description = "Removed after that long without a packet or connection.")
  String idleTtl;

  @Option(
      names = "--property",
      paramLabel = "KEY=VALUE",
      description = "Configuration of the module; repeatable.")
  Map<String, String> properties = new LinkedHashMap<>();

  @Option(
      names = "--max-ttl",
      paramLabel = "SECONDS",
      description = "Longest ttl (default with setup: 3600).")
  Integer maxTtl;

  @Option(
      names = "--lifetime",
      paramLabel = "SECONDS",
      defaultValue = "3600",
      description = "Life of the delegation, at most 86400 and a node's limit (default 3600).")
  int lifetime;

  @Option(names = "--out", required = true, paramLabel = "FILE", description = "The delegation.")
  Path out;

  @Override
  public Integer call() throws Exception {
    PrivateKey own = privateKey();
    PublicKey other = publicKey();
    Delegation delegation;
    try {
      delegation =
          new DelegationIssuer(user, own, new SecureRandom())
              .issue(
                  other,
                  name == null ? baseName() : name,
                  Instant.now(),
                  Duration.ofSeconds(lifetime),
                  bounds());
    } catch (BadValueException e) {
      throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
    }
    try {
      Files.writeString(out, delegation.pem(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new CommandException(ExitCode.USAGE, "--out: cannot write " + out + ": " + e, e);
    }
    KeyInspect.show(this, delegation);
    return ExitCode.DONE;
  }

  private PrivateKey privateKey() throws CommandException {
    try {
      return PublisherKeys.readPrivate(key);
    } catch (IOException | BadValueException e) {
      throw new CommandException(ExitCode.USAGE, "--key: " + key + ": " + e.getMessage(), e);
    }
  }

  private PublicKey publicKey() throws CommandException {
    try {
      return PublisherKeys.readPublic(Files.readString(delegate, StandardCharsets.US_ASCII));
    } catch (IOException | BadValueException e) {
      throw new CommandException(ExitCode.USAGE, "--for: " + delegate + ": " + e.getMessage(), e);
    }
  }

  private String baseName() {
    String file = delegate.getFileName().toString();
    int dot = file.lastIndexOf('.');
    return dot > 0 ? file.substring(0, dot) : file;
  }

  private DelegationBounds bounds() throws CommandException, BadValueException {
    List<String> upper = methods.stream().map(m -> m.toUpperCase(Locale.ROOT)).toList();
    Map<Bound, String> values = new EnumMap<>(Bound.class);
    values.put(Bound.METHODS, String.join(",", upper));
    values.put(Bound.MODULES, String.join(",", named()));
    values.put(Bound.TO, String.join(",", to));
    if (!from.isEmpty()) {
      values.put(Bound.FROM, String.join(",", from));
    }
    if (proven) {
      values.put(Bound.PROVEN, "yes");
    }
    put(values, Bound.FILTER_PORT, port);
    put(values, Bound.FILTER_PROTO, proto);
    put(values, Bound.FILTER_PREFIX, prefix);
    put(values, Bound.FILTER_MATCH, match);
    put(values, Bound.IDLE_TTL, idleTtl);
    if (!properties.isEmpty()) {
      values.put(Bound.PROPERTIES, PropertyList.print(properties));
    }
    put(values, Bound.URL, url);
    boolean setup = upper.contains("SETUP");
    put(values, Bound.MAX_TTL, maxTtl == null ? (setup ? "3600" : null) : maxTtl.toString());
    return DelegationBounds.of(values);
  }

  private static void put(Map<Bound, String> values, Bound bound, String value) {
    if (value != null) {
      values.put(bound, value);
    }
  }

  private List<String> named() throws CommandException {
    List<String> all = new ArrayList<>(modules);
    for (Path bundle : bundles) {
      all.add(symbolicName(bundle) + ";" + SetupCommand.sha256(bundle));
    }
    if (all.isEmpty()) {
      throw new CommandException(ExitCode.USAGE, "for which module? give --bundle or --module");
    }
    return all;
  }

  private static String symbolicName(Path bundle) throws CommandException {
    try (JarFile jar = new JarFile(bundle.toFile())) {
      Manifest manifest = jar.getManifest();
      String text =
          manifest == null ? null : manifest.getMainAttributes().getValue("Bundle-SymbolicName");
      if (text == null) {
        throw new CommandException(
            ExitCode.USAGE, "--bundle: " + bundle + " has no Bundle-SymbolicName");
      }
      int directive = text.indexOf(';');
      return (directive < 0 ? text : text.substring(0, directive)).strip();
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.USAGE, "--bundle: cannot read " + bundle + ": " + e.getMessage(), e);
    }
  }
}
