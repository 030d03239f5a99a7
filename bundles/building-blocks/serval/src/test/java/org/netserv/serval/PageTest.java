// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.netserv.serval.endpoint.EndpointVerdict;
import org.netserv.serval.flow.FlowRefusal;
import org.netserv.serval.host.HostVerdict;
import org.netserv.serval.stream.SegmentFault;
import org.netserv.serval.stream.StreamVerdict;
import org.netserv.serval.table.ForwardVerdict;
import org.netserv.serval.table.HoldRefusal;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.TableRefusal;

/** docs/protocols/serval.md names each refusal, verdict, ability and extension, and no other. */
class PageTest {
  private static final Path PAGE = Path.of("../../../docs/protocols/serval.md");
  private static final Path COUNTERS = Path.of("../../../docs/reference/counters.md");
  private static final Pattern NAME = Pattern.compile("\\*\\*`([A-Z0-9_]+)`\\*\\*");

  /** Returns the names in bold between a heading and the next one. */
  private static Set<String> names(String heading) throws IOException {
    String page = Files.readString(PAGE);
    int start = page.indexOf("# " + heading + "\n");
    assertTrue(start >= 0, heading);
    int end = page.indexOf("\n#", start + 1);
    Set<String> names = new LinkedHashSet<>();
    Matcher name = NAME.matcher(page.substring(start, end < 0 ? page.length() : end));
    while (name.find()) {
      names.add(name.group(1));
    }
    return names;
  }

  /** Returns the names of an enum, but the OK that stands for none. */
  private static Set<String> names(Enum<?>[] values) {
    return Arrays.stream(values)
        .map(Enum::name)
        .filter(name -> !name.equals("OK"))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  @Test
  void everyNameIsOnThePage() throws IOException {
    assertEquals(names(ServalError.values()), names("Refusals of a packet"));
    assertEquals(names(TableRefusal.values()), names("Refusals of a rule"));
    assertEquals(names(ForwardVerdict.values()), names("Service routers"));
    assertEquals(names(HoldRefusal.values()), names("DELAY"));
    assertEquals(names(FlowRefusal.values()), names("Checks of a message"));
    assertEquals(names(Ability.values()), names("Abilities"));
    assertEquals(names(HostVerdict.values()), names("Verdicts of a host"));
    assertEquals(names(EndpointVerdict.values()), names("Verdicts of an endpoint"));
    assertEquals(names(SegmentFault.values()), names("Faults of a segment"));
    assertEquals(names(StreamVerdict.values()), names("Verdicts of a stream"));
  }

  @Test
  void everyCounterIsOnThePageOfCounters() throws IOException {
    String page = Files.readString(COUNTERS);
    StringBuilder rows = new StringBuilder();
    rows(rows, new Counts<>("host", HostVerdict.class), HostVerdict.values(), HostVerdict::text);
    rows(rows, new Counts<>("flow", FlowRefusal.class), FlowRefusal.values(), FlowRefusal::text);
    rows(
        rows,
        new Counts<>("forward", ForwardVerdict.class),
        ForwardVerdict.values(),
        ForwardVerdict::text);
    rows(rows, new Counts<>("hold", HoldRefusal.class), HoldRefusal.values(), HoldRefusal::text);
    rows(rows, new Counts<>("rule", TableRefusal.class), TableRefusal.values(), TableRefusal::text);
    rows(rows, new Counts<>("packet", ServalError.class), ServalError.values(), ServalError::text);
    rows(
        rows,
        new Counts<>("endpoint", EndpointVerdict.class),
        EndpointVerdict.values(),
        EndpointVerdict::text);
    rows(
        rows,
        new Counts<>("segment", SegmentFault.class),
        SegmentFault.values(),
        SegmentFault::text);
    rows(
        rows,
        new Counts<>("stream", StreamVerdict.class),
        StreamVerdict.values(),
        StreamVerdict::text);
    assertTrue(page.endsWith("|---|---|\n" + rows), rows.toString());
  }

  private static <E extends Enum<E>> void rows(
      StringBuilder rows, Counts<E> counts, E[] values, Function<E, String> text) {
    for (E value : values) {
      rows.append("| `serval." + counts.name(value) + "` | " + text.apply(value) + " |\n");
    }
  }

  @Test
  void everyNumberIsOnThePage() throws IOException {
    String page = Files.readString(PAGE);
    for (ExtensionType type : ExtensionType.values()) {
      assertTrue(page.contains("| " + type.number() + " | " + type + " |"), type.name());
    }
    for (RuleAction action : RuleAction.values()) {
      assertTrue(page.contains("| " + action + " | " + action.number() + " |"), action.name());
    }
    for (Ability ability : Ability.values()) {
      String bit = "%02x".formatted(ability.bit());
      assertTrue(page.contains("- **`" + ability + "`** `" + bit + "`"), ability.name());
    }
  }
}
