// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.netserv.lab.bench.Figures;
import org.netserv.lab.bench.mlffr.Result.Kind;

/**
 * Draws two pictures in one file. The first shows forwarded packets over offered packets. The
 * second shows the highest rates without loss beside the rates of the paper.
 */
final class MlffrChart {
  private static final int WIDTH = 1100;
  private static final int HEIGHT = 460;
  private static final int LEFT = 60;
  private static final int TOP = 50;
  private static final int SIDE = 340;
  private static final int BARS = 660;
  private static final int BAR_LABEL = 150;
  private static final int BAR_MOST = 240;
  private static final double KILO = 1000;
  private static final List<String> COLOURS =
      List.of(
          "#1b6ca8", "#c0392b", "#27823b", "#8e44ad", "#b9770e", "#16807a", "#5d6d7e", "#a8327d",
          "#6b4f1d", "#3b3b98", "#7f8c1d", "#2c3e50");

  /**
   * Rates of the paper in kpps, by the cell that repeats the measurement. The paper used other
   * hardware and other kernels.
   */
  private static final Map<String, Double> PAPER =
      Map.of(
          "ring",
          365.0,
          "java",
          188.0,
          "netmonitor",
          188.0,
          "java-340",
          111.0,
          "keepalive-340",
          71.0);

  private final List<Result> results;

  MlffrChart(List<Result> results) {
    this.results =
        results.stream().filter(result -> result.figures(Kind.RATE).count() > 0).toList();
  }

  String svg() {
    StringBuilder text = new StringBuilder();
    text.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" \
        font-family="sans-serif" font-size="12">
        <rect width="%d" height="%d" fill="white"/>
        """
            .formatted(WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT));
    curves(text);
    bars(text);
    return text.append("</svg>\n").toString();
  }

  private void curves(StringBuilder text) {
    double most =
        results.stream()
            .flatMap(result -> result.curve().keySet().stream())
            .mapToDouble(Double::doubleValue)
            .max()
            .orElse(KILO);
    label(text, LEFT, TOP - 20, "start", "forwarded of offered, kpps");
    text.append(
        "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#444\"/>%n"
            .formatted(LEFT, TOP, TOP + SIDE, LEFT + SIDE));
    for (int i = 1; i <= 4; i++) {
      String number = kilo(most * i / 4);
      label(text, LEFT + SIDE * i / 4, TOP + SIDE + 18, "middle", number);
      label(text, LEFT - 6, TOP + SIDE - SIDE * i / 4 + 4, "end", number);
    }
    line(text, LEFT, TOP + SIDE, LEFT + SIDE, TOP, "#ccc");
    for (int i = 0; i < results.size(); i++) {
      curve(text, results.get(i), most, COLOURS.get(i % COLOURS.size()));
      int y = TOP + 14 * i;
      line(text, LEFT + SIDE + 20, y, LEFT + SIDE + 40, y, COLOURS.get(i % COLOURS.size()));
      label(text, LEFT + SIDE + 46, y + 4, "start", results.get(i).cell().name());
    }
  }

  private static void curve(StringBuilder text, Result result, double most, String colour) {
    String points =
        result.curve().entrySet().stream()
            .filter(entry -> entry.getValue().count() > 0)
            .map(
                entry ->
                    number(LEFT + SIDE * entry.getKey() / most)
                        + ","
                        + number(TOP + SIDE - SIDE * entry.getValue().median() / most))
            .collect(Collectors.joining(" "));
    text.append(
        "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>%n"
            .formatted(points, colour));
  }

  private void bars(StringBuilder text) {
    double most =
        results.stream()
            .mapToDouble(result -> result.figures(Kind.RATE).high() / KILO)
            .max()
            .orElse(1);
    most = Math.max(most, PAPER.values().stream().mapToDouble(Double::doubleValue).max().orElse(1));
    label(text, BARS, TOP - 20, "start", "highest rate without loss, kpps; grey: the paper's");
    int y = TOP;
    for (int i = 0; i < results.size(); i++) {
      Result result = results.get(i);
      Figures rate = result.figures(Kind.RATE);
      label(text, BARS + BAR_LABEL - 8, y + 11, "end", result.cell().name());
      bar(text, y, rate.median() / KILO, most, COLOURS.get(i % COLOURS.size()));
      double scale = BAR_MOST / most / KILO;
      line(
          text,
          BARS + BAR_LABEL + rate.low() * scale,
          y + 6,
          BARS + BAR_LABEL + rate.high() * scale,
          y + 6,
          "black");
      Double paper = PAPER.get(result.cell().name());
      if (paper != null) {
        bar(text, y + 13, paper, most, "#bbb");
      }
      y += 31;
    }
  }

  private static void bar(StringBuilder text, int y, double kpps, double most, String colour) {
    double length = BAR_MOST * kpps / most;
    text.append(
        "<rect x=\"%d\" y=\"%d\" width=\"%s\" height=\"12\" fill=\"%s\"/>%n"
            .formatted(BARS + BAR_LABEL, y, number(length), colour));
    label(text, BARS + BAR_LABEL + length + 5, y + 11, "start", "%.0f".formatted(kpps));
  }

  private static void line(
      StringBuilder text, double x1, double y1, double x2, double y2, String colour) {
    text.append(
        "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" stroke=\"%s\"/>%n"
            .formatted(number(x1), number(y1), number(x2), number(y2), colour));
  }

  private static void label(StringBuilder text, double x, double y, String anchor, String words) {
    text.append(
        "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>%n"
            .formatted(number(x), number(y), anchor, words));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private static String kilo(double value) {
    return String.format(Locale.ROOT, "%.0f", value / KILO);
  }
}
