// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.netserv.artifact.fetch.FetchRules;
import org.netserv.values.BadValueException;
import org.netserv.values.Prefix;

/**
 * {@link FetchRules} in a job's request, prefixes as text. The key {@code fetch} in node.yaml has
 * the same names.
 */
public record JobRules(
    List<String> allow,
    List<String> deny,
    Set<Integer> ports,
    long maxBytes,
    int connectMillis,
    int idleMillis,
    int totalMillis) {

  public static JobRules of(FetchRules rules) {
    return new JobRules(
        rules.allow().stream().map(Prefix::toString).toList(),
        rules.deny().stream().map(Prefix::toString).toList(),
        new TreeSet<>(rules.ports()),
        rules.maxBytes(),
        rules.connectMillis(),
        rules.idleMillis(),
        rules.totalMillis());
  }

  FetchRules toRules() throws BadValueException {
    return new FetchRules(
        prefixes(allow), prefixes(deny), ports, maxBytes, connectMillis, idleMillis, totalMillis);
  }

  private static List<Prefix> prefixes(List<String> texts) throws BadValueException {
    List<Prefix> prefixes = new ArrayList<>();
    for (String text : texts) {
      prefixes.add(Prefix.parse(text));
    }
    return prefixes;
  }
}
