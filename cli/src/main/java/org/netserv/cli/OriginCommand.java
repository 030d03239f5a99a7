// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.command.CommandGroup;
import picocli.CommandLine.Command;

@Command(
    name = "origin",
    description = {
      "The director, a process beside a publisher's web server: deploys ActiveCDN toward users and",
      "tells the web server which of them an edge serves (docs/content-guide.md)."
    },
    subcommands = {OriginRun.class, OriginCheck.class, OriginStatus.class, OriginPlaces.class},
    footer = {"", "Example:  netserv origin run --config /etc/netserv-origin/origin.yaml"})
final class OriginCommand extends CommandGroup {}
