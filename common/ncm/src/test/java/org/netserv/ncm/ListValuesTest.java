// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.values.BadValueException;
import org.netserv.values.VersionRange;

/** Values that are lists: dependencies, properties. */
class ListValuesTest {
  @Test
  void dependenciesSplitOutsideBrackets() throws BadValueException {
    List<Dependency> list = Dependency.parseList("a;[1,2),b,c.d_e;1.2.3.q");
    assertEquals(3, list.size());
    assertEquals("a;[1.0.0,2.0.0)", list.get(0).toString());
    assertEquals(VersionRange.ANY, list.get(1).range());
    assertEquals("c.d_e;1.2.3.q", list.get(2).toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "k=a\\,b|a,b",
        "k=a=b|a=b",
        "k=a\\=b|a=b",
        "k=\\\\|\\",
        "k=\\\\\\,|\\,",
        "k=|''",
        "k== |'= '",
        "k=:|:"
      },
      ignoreLeadingAndTrailingWhitespace = false)
  void propertyEscapes(String text, String value) throws BadValueException {
    assertEquals(Map.of("k", value), PropertyList.parse(text));
    assertEquals(Map.of("k", value), PropertyList.parse(PropertyList.print(Map.of("k", value))));
  }

  @Test
  void propertiesKeepTheirOrderAndEscapeTheirKeys() throws BadValueException {
    Map<String, String> map = PropertyList.parse("z=1,a\\=b\\,c=2,m=3");
    assertEquals(List.of("z", "a=b,c", "m"), new ArrayList<>(map.keySet()));
    assertEquals("z=1,a\\=b\\,c=2,m=3", PropertyList.print(map));
    assertThrows(UnsupportedOperationException.class, () -> map.put("x", "y"));
    Random random = new Random(11);
    for (int i = 0; i < 5000; i++) {
      Map<String, String> any = Messages.properties(random);
      assertEquals(any, PropertyList.parse(PropertyList.print(any)));
    }
  }

  @Test
  void tooManyProperties() {
    StringBuilder text = new StringBuilder("k=");
    for (int i = 0; i < PropertyList.MAX_COUNT; i++) {
      text.append(",k").append(i).append('=');
    }
    BadValueException refusal =
        assertThrows(BadValueException.class, () -> PropertyList.parse(text.toString()));
    assertEquals("more than 128 properties", refusal.getMessage());
  }
}
