// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.command.CommandGroup;
import picocli.CommandLine.Command;

@Command(
    name = "provider",
    description = "Processes beside a SIP provider's server that deploy modules toward its users.",
    subcommands = {ProviderOverload.class},
    footer = {"", "Example:  netserv provider overload --config overload.yaml"})
final class ProviderCommand extends CommandGroup {}
