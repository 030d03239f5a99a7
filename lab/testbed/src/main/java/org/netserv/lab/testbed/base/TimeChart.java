// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Numbers over time: series one above the other, and marks at which something begins. It is drawn
 * as columns of text and as SVG.
 *
 * <pre>
 *   messages/s at the server
 *      300 |##########
 *      150 |###########
 *        0 +-----------------------
 *          |without   |at the edge
 * </pre>
 */
public final class TimeChart {
  private static final int COLUMNS = 64;
  private static final int ROWS = 5;
  private static final int WIDTH = 900;
  private static final int LEFT = 70;
  private static final int TOP = 80;
  private static final int PANEL = 130;
  private static final int GAP = 45;
  private static final List<String> COLOURS = List.of("#1b6ca8", "#c0392b", "#b9770e", "#27823b");

  private final String title;
  private final Map<String, NavigableMap<Integer, Double>> series = new LinkedHashMap<>();
  private final NavigableMap<Integer, String> marks = new TreeMap<>();

  public TimeChart(String title) {
    this.title = title;
  }

  /** Adds a value, not below 0, to that of the same second. The first one makes the series. */
  public void add(String name, int second, double value) {
    series.computeIfAbsent(name, n -> new TreeMap<>()).merge(second, value, Double::sum);
  }

  /** Marks the beginning of something. */
  public void mark(int second, String what) {
    marks.put(second, what);
  }

  /** Returns one row a second, for {@code --json}. */
  public ResultTable table() {
    List<String> heading = new ArrayList<>(List.of("second"));
    heading.addAll(series.keySet());
    heading.add("since");
    ResultTable table = new ResultTable(heading.toArray(String[]::new));
    for (int second = 0; second < seconds(); second++) {
      List<Object> row = new ArrayList<>(List.of(second));
      for (NavigableMap<Integer, Double> values : series.values()) {
        row.add(values.containsKey(second) ? number(values.get(second)) : "");
      }
      row.add(marks.floorEntry(second) == null ? "" : marks.floorEntry(second).getValue());
      table.row(row.toArray());
    }
    return table;
  }

  /** Returns the columns of text. */
  public String text() {
    int each = Math.max(1, (seconds() + COLUMNS - 1) / COLUMNS); // seconds of a column
    int columns = (seconds() + each - 1) / each;
    StringBuilder text = new StringBuilder();
    series.forEach((name, values) -> text(text, name, columns(values, each, columns)));
    StringBuilder line = new StringBuilder();
    marks.forEach(
        (second, what) -> {
          int at = second / each;
          if (line.length() <= at) {
            line.append(" ".repeat(at - line.length())).append('|').append(what);
          } else {
            text.append(indent(line));
            line.setLength(0);
            line.append(" ".repeat(at)).append('|').append(what);
          }
        });
    return text.append(indent(line)).toString();
  }

  private static String indent(CharSequence line) {
    return " ".repeat(11) + line + "\n";
  }

  private int seconds() {
    return 1
        + series.values().stream()
            .filter(values -> !values.isEmpty())
            .mapToInt(NavigableMap::lastKey)
            .max()
            .orElse(-1);
  }

  /** Returns the mean of each column. */
  private static double[] columns(NavigableMap<Integer, Double> values, int each, int columns) {
    double[] means = new double[columns];
    for (int column = 0; column < columns; column++) {
      means[column] =
          values.subMap(column * each, (column + 1) * each).values().stream()
              .mapToDouble(Double::doubleValue)
              .average()
              .orElse(0);
    }
    return means;
  }

  private static void text(StringBuilder text, String name, double[] values) {
    double most = most(values);
    text.append("  ").append(name).append('\n');
    for (int row = ROWS; row > 0; row--) {
      StringBuilder line = new StringBuilder();
      for (double value : values) {
        boolean full = value >= most * (row - 0.5) / ROWS;
        line.append(full ? '#' : row == 1 && value > 0 ? '.' : ' ');
      }
      String label = row == ROWS || row == (ROWS + 1) / 2 ? number(most * row / ROWS) : "";
      text.append("%9s |%s".formatted(label, line).stripTrailing()).append('\n');
    }
    text.append("%9s +%s%n".formatted("0", "-".repeat(values.length)));
  }

  private static double most(double[] values) {
    double most = 0;
    for (double value : values) {
      most = Math.max(most, value);
    }
    return most > 0 ? most : 1;
  }

  private static String number(double value) {
    return String.format(
        Locale.ROOT, value < 10 && value != Math.rint(value) ? "%.1f" : "%,.0f", value);
  }

  /**
   * Writes the SVG to {@code target/demo/NAME.svg} of the checkout and returns the file, as the
   * checkout sees it.
   */
  public Path write(String name) throws IOException {
    Path file = LabHome.home().resolve("target/demo").resolve(name + ".svg");
    Files.createDirectories(file.getParent());
    Files.writeString(file, svg());
    return LabHome.home().relativize(file);
  }

  /** Returns the SVG. */
  public String svg() {
    int height = TOP + series.size() * (PANEL + GAP) + 10;
    StringBuilder svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" \
        font-family="sans-serif" font-size="12">
        <rect width="%d" height="%d" fill="white"/>
        """
            .formatted(WIDTH, height, WIDTH, height, WIDTH, height));
    label(svg, LEFT, 24, "start", title);
    int bottom = TOP + series.size() * (PANEL + GAP) - GAP;
    for (Map.Entry<Integer, String> mark : marks.entrySet()) {
      double x = x(mark.getKey());
      svg.append(
          "<path d=\"M%s %dV%d\" stroke=\"#888\" stroke-dasharray=\"4 3\"/>%n"
              .formatted(decimal(x), TOP - 38, bottom));
      label(svg, x + 4, TOP - 28, "start", mark.getValue());
    }
    int panel = 0;
    for (Map.Entry<String, NavigableMap<Integer, Double>> entry : series.entrySet()) {
      panel(svg, panel++, entry.getKey(), entry.getValue());
    }
    return svg.append("</svg>\n").toString();
  }

  private double x(int second) {
    return LEFT + (WIDTH - LEFT - 20.0) * second / Math.max(1, seconds());
  }

  private void panel(
      StringBuilder svg, int panel, String name, NavigableMap<Integer, Double> values) {
    int top = TOP + panel * (PANEL + GAP);
    int bottom = top + PANEL;
    double most = most(values.values().stream().mapToDouble(Double::doubleValue).toArray());
    StringBuilder path = new StringBuilder();
    for (int second = 0; second < seconds(); second++) {
      String y = decimal(bottom - PANEL * values.getOrDefault(second, 0.0) / most);
      path.append(path.isEmpty() ? "M%s %d".formatted(decimal(x(second)), bottom) : "");
      path.append("V%sH%s".formatted(y, decimal(x(second + 1))));
    }
    String colour = COLOURS.get(panel % COLOURS.size());
    svg.append(
        "<path d=\"%sV%dZ\" fill=\"%s\" fill-opacity=\"0.7\" stroke=\"%s\"/>%n"
            .formatted(path, bottom, colour, colour));
    svg.append(
        "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#444\"/>%n"
            .formatted(LEFT, top, bottom, WIDTH - 20));
    label(svg, LEFT - 6, top + 10, "end", number(most));
    label(svg, LEFT - 6, bottom, "end", "0");
    label(svg, WIDTH - 20, top - 6, "end", name);
    for (int second = 0; second <= seconds(); second += Math.max(1, seconds() / 8)) {
      label(svg, x(second), bottom + 15, "middle", second + " s");
    }
  }

  private static void label(StringBuilder svg, double x, double y, String anchor, String words) {
    svg.append(
        "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>%n"
            .formatted(
                decimal(x), decimal(y), anchor, words.replace("&", "&amp;").replace("<", "&lt;")));
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
