// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.command.CommandGroup;
import picocli.CommandLine.Command;

@Command(
    name = "provider",
    description = {
      "The process beside a SIP provider's Kamailio: deploys modules toward user agents,",
      "once for each edge node, and keeps them there (docs/sip-provider-guide.md)."
    },
    subcommands = {
      ProviderRun.class,
      ProviderCheck.class,
      ProviderStatus.class,
      ProviderOverload.class
    },
    footer = {"", "Example:  netserv provider run --config /etc/netserv-provider/provider.yaml"})
final class ProviderCommand extends CommandGroup {}
