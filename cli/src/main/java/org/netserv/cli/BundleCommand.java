// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.command.CommandGroup;
import picocli.CommandLine.Command;

@Command(
    name = "bundle",
    description = "Sign a bundle, verify it as a node would, and look into it.",
    subcommands = {BundleSign.class, BundleVerify.class, BundleInspect.class},
    footer = {"", "Example:  netserv bundle inspect app-signed.jar --anchor janedoe.crt"})
final class BundleCommand extends CommandGroup {}
