// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.origin.place.CityTable;
import org.netserv.origin.place.CityWriter;
import org.netserv.values.BadValueException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "places",
    description = {
      "Write a city database in MaxMind's format from a table of your own. A line of the table is",
      "PREFIX,LATITUDE,LONGITUDE,NAME. The file is replaced as a whole, and a director that runs",
      "takes it up within seconds."
    },
    footer = {"", "Example:  netserv origin places places.csv --out city.mmdb"})
final class OriginPlaces extends JsonCommand {
  private static final long MOST_BYTES = 64L << 20;

  @Parameters(paramLabel = "TABLE", description = "The table.")
  Path table;

  @Option(names = "--out", paramLabel = "FILE", required = true, description = "The database.")
  Path out;

  @Override
  public Integer call() throws CommandException {
    try {
      if (Files.size(table) > MOST_BYTES) {
        throw new CommandException(ExitCode.USAGE, table + ": longer than " + MOST_BYTES);
      }
      List<CityWriter.Entry> entries = CityTable.read(Files.readAllLines(table));
      byte[] database = CityWriter.write(entries, Instant.now().getEpochSecond());
      Path beside = out.resolveSibling(out.getFileName() + ".new");
      Files.write(beside, database);
      Files.move(beside, out, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      emit(
          MAPPER.createObjectNode().put("prefixes", entries.size()),
          () -> out().println(entries.size() + " prefixes in " + out));
    } catch (BadValueException e) {
      throw new CommandException(ExitCode.USAGE, table + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw new CommandException(ExitCode.USAGE, "cannot be read or written: " + e.getMessage(), e);
    }
    return ExitCode.DONE;
  }
}
