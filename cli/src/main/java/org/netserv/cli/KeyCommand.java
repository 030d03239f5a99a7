// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import org.netserv.artifact.Certificates;
import org.netserv.command.CommandException;
import org.netserv.command.CommandGroup;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.values.PublisherKeys;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "key",
    description = "The keys that sign messages and bundles.",
    subcommands = {KeyCommand.New.class, KeyDelegate.class, KeyInspect.class},
    footer = {"", "Example:  netserv key new janedoe --dir keys"})
final class KeyCommand extends CommandGroup {

  @Command(
      name = "new",
      description = {
        "Make a key pair and a self-signed code signing certificate for a publisher.",
        "NAME.key stays with you; NAME.pub and NAME.crt go to the operators."
      },
      footer = {"", "Example:  netserv key new janedoe --dir keys"})
  static final class New extends JsonCommand {
    private static final int MOST_DAYS = 36_500;

    @Parameters(paramLabel = "NAME", description = "The publisher's name.")
    String name;

    @Option(
        names = "--dir",
        paramLabel = "DIR",
        defaultValue = ".",
        description = "Where to write (default: here).")
    Path dir;

    @Option(
        names = "--type",
        paramLabel = "TYPE",
        defaultValue = "ED25519",
        description = "${COMPLETION-CANDIDATES} (default ED25519).")
    PublisherKeys.Algorithm type;

    @Option(
        names = "--days",
        paramLabel = "N",
        defaultValue = "3650",
        description = "Life of the certificate (default 3650).")
    int days;

    @Override
    public Integer call() throws Exception {
      if (!name.matches("[A-Za-z0-9._-]{1,64}")) {
        throw new CommandException(
            ExitCode.USAGE, "NAME: letters, digits, '.', '_' and '-', at most 64: " + name);
      }
      if (days < 1 || days > MOST_DAYS) {
        throw new CommandException(
            ExitCode.USAGE, "--days: a number from 1 to " + MOST_DAYS + ": " + days);
      }
      SecureRandom random = new SecureRandom();
      KeyPair pair = PublisherKeys.generate(type, random);
      X509Certificate certificate =
          new Certificates(Clock.systemUTC(), random)
              .selfSigned(pair.getPrivate(), pair.getPublic(), "CN=" + name, Duration.ofDays(days));
      String line = PublisherKeys.printLine(pair.getPublic());
      Files.createDirectories(dir);
      write(".key", PublisherKeys.print(pair.getPrivate()), "rw-------");
      write(".pub", line + "\n", "rw-r--r--");
      write(".crt", Certificates.writePem(certificate), "rw-r--r--");
      ObjectNode document = MAPPER.createObjectNode();
      document.put("key", dir.resolve(name + ".key").toString());
      document.put("certificate", dir.resolve(name + ".crt").toString());
      document.put("public", line);
      emit(document, () -> out().println(line));
      return ExitCode.DONE;
    }

    /** Writes a new file and never overwrites one, because a lost key cannot be had again. */
    private void write(String suffix, String text, String mode) throws CommandException {
      Path file = dir.resolve(name + suffix);
      try {
        Files.createFile(
            file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode)));
        Files.writeString(file, text, StandardCharsets.US_ASCII, StandardOpenOption.WRITE);
      } catch (IOException e) {
        throw new CommandException(
            ExitCode.USAGE, "cannot make " + file + " (never overwritten): " + e, e);
      }
    }
  }
}
