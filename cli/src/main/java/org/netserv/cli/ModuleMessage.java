// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.time.Instant;
import org.netserv.nslp.Addresses;
import org.netserv.nslp.BadValueException;
import org.netserv.nslp.Header;
import org.netserv.nslp.Ncm;
import org.netserv.nslp.NcmException;
import org.netserv.nslp.NcmSigner;
import org.netserv.nslp.PublisherKeys;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * What SETUP, REMOVE and PROBE have in common: who asks, where it goes, how long to wait, the
 * signature.
 */
abstract class ModuleMessage extends JsonCommand {
  @Mixin Paths paths;

  @Option(names = "--user", paramLabel = "NAME", description = "The publisher.")
  String user;

  @Option(names = "--key", paramLabel = "FILE", description = "The publisher's private key, PEM.")
  Path key;

  @Option(
      names = "--to",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "Destination of the flow (default: the node itself).")
  String to;

  @Option(
      names = "--node-id",
      paramLabel = "ID",
      description =
          "Only this node acts; its answer counts as verified when the signature is right.")
  String nodeId;

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      defaultValue = "15",
      description = "How long to wait for the end state.")
  int wait;

  /** Adds what makes the message fresh and ours, then signs it. */
  final Ncm sign(Ncm.Builder message, boolean numbered) throws CommandException {
    byte[] nonce = new byte[Ncm.NONCE_BYTES];
    new SecureRandom().nextBytes(nonce);
    Instant now = Instant.now();
    message.nonce(nonce).date(now).to(destination());
    if (nodeId != null) {
      message.set(Header.NODE_ID, nodeId);
    }
    if (numbered) {
      message.set(Header.SEQ, now.toEpochMilli());
    }
    try {
      return user == null
          ? message.build()
          : NcmSigner.sign(message.set(Header.USER, user).build(), readKey());
    } catch (NcmException e) {
      throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
    }
  }

  private InetAddress destination() throws CommandException {
    try {
      return Addresses.parse(to);
    } catch (BadValueException e) {
      throw new CommandException(ExitCode.USAGE, "--to: " + e.getMessage(), e);
    }
  }

  private PrivateKey readKey() throws CommandException {
    if (key == null) {
      throw new CommandException(ExitCode.USAGE, "--key: a message with --user is signed");
    }
    try {
      return PublisherKeys.readPrivate(key);
    } catch (IOException | BadValueException e) {
      throw new CommandException(ExitCode.USAGE, "--key: " + key + ": " + e.getMessage(), e);
    }
  }
}
