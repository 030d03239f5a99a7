// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A JVM says nothing of a method that an option names and that is not there. */
final class NotInlinedTest {
  private static final Path OPTIONS =
      Path.of("").toAbsolutePath().resolve("../../../container-native/host/jvm.c");
  private static final Pattern METHOD = Pattern.compile("dontinline,([\\w.]+)::(\\w+)");

  @Test
  void theMethodsThatTheHostNamesAreThere() throws Exception {
    List<MatchResult> named = METHOD.matcher(Files.readString(OPTIONS)).results().toList();
    assertEquals(1, named.size());
    for (MatchResult method : named) {
      Class<?> type = Class.forName(method.group(1));
      assertTrue(
          Arrays.stream(type.getDeclaredMethods())
              .anyMatch(declared -> declared.getName().equals(method.group(2))),
          method.group());
    }
  }
}
