// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

final class TimeChartTest {
  private static TimeChart chart() {
    TimeChart chart = new TimeChart("a & b");
    for (int second = 0; second < 10; second++) {
      chart.add("messages/s", second, second < 5 ? 100 : 0);
      chart.add("lost/s", second, second == 7 ? 1 : 0);
    }
    chart.mark(0, "before");
    chart.mark(5, "after");
    return chart;
  }

  @Test
  void drawsColumnsAndMarks() {
    assertEquals(
        """
          messages/s
              100 |#####
                  |#####
               60 |#####
                  |#####
                  |#####
                0 +----------
          lost/s
                1 |       #
                  |       #
              0.6 |       #
                  |       #
                  |       #
                0 +----------
                   |before
                        |after
        """,
        chart().text());
  }

  @Test
  void putsManySecondsIntoOneColumn() {
    TimeChart chart = new TimeChart("long");
    for (int second = 0; second < 640; second++) {
      chart.add("x", second, 7);
    }
    assertTrue(chart.text().lines().allMatch(line -> line.length() <= 75), chart.text());
    assertTrue(chart.text().contains("+" + "-".repeat(64) + "\n"), chart.text());
  }

  @Test
  void survivesNoValues() throws Exception {
    TimeChart chart = new TimeChart("empty");
    assertTrue(chart.text().isBlank());
    assertEquals(0, parsed(chart).getElementsByTagName("path").getLength());
  }

  @Test
  void drawsSvgThatParses() throws Exception {
    Document svg = parsed(chart());
    assertEquals(6, svg.getElementsByTagName("path").getLength()); // 2 marks, 2 each
    assertEquals("a & b", svg.getElementsByTagName("text").item(0).getTextContent());
  }

  private static Document parsed(TimeChart chart) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(chart.svg().getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void hasARowForEachSecond() {
    ArrayNode rows = chart().table().json();
    assertEquals(10, rows.size());
    assertEquals("1", rows.get(7).path("lost/s").asText());
    assertEquals("after", rows.get(7).path("since").asText());
  }
}
