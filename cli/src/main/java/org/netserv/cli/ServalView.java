// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.JsonNode;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.command.Table;
import picocli.CommandLine.Mixin;

/** A command that shows one view of sald, a row for each entry. */
abstract class ServalView extends JsonCommand {
  @Mixin ServalOptions options;

  private final String list;
  private final String[] heads;

  /**
   * Makes a view that has the name of its command.
   *
   * @param list key of the entries in sald's view
   */
  ServalView(String list, String... heads) {
    this.list = list;
    this.heads = heads.clone();
  }

  /** Returns the cells of an entry. */
  abstract Object[] cells(JsonNode entry);

  @Override
  public Integer call() throws CommandException {
    JsonNode view = options.sald().view(spec.name());
    emit(view, () -> print(view));
    return ExitCode.DONE;
  }

  private void print(JsonNode view) {
    Table table = new Table(heads);
    view.path(list).forEach(entry -> table.row(cells(entry)));
    table.print(out());
    count(view);
  }

  /** Tells how many entries a view leaves out. */
  final void count(JsonNode view) {
    int shown = view.path(list).size();
    if (view.path("count").asInt() > shown) {
      out().printf("%d of %s are shown%n", shown, view.path("count").asText());
    }
  }

  /** Returns fields of an entry as text; a field that is not there is empty. */
  static Object[] fields(JsonNode entry, String... names) {
    Object[] texts = new Object[names.length];
    for (int i = 0; i < names.length; i++) {
      texts[i] = entry.path(names[i]).asText();
    }
    return texts;
  }
}
