// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.TimeChart;
import org.netserv.lab.testbed.web.WebRequest;

/**
 * Tables and a chart of the courses of a web service.
 *
 * @param instances their names
 * @param perSecond requests that an instance serves
 * @param courses the first one is that of Serval
 */
record WebTables(
    List<WebStep> steps, List<String> instances, int perSecond, List<WebCourse> courses) {

  private String[] heading(String... first) {
    List<String> heading = new ArrayList<>(List.of(first));
    courses.forEach(course -> heading.add(course.front()));
    return heading.toArray(String[]::new);
  }

  /** Requests a second from the first second of each step on, and their share of proportional. */
  ResultTable rates() {
    ResultTable table = new ResultTable(heading("requests/s", "instances", "paper"));
    for (int i = 0; i < steps.size(); i++) {
      WebStep step = steps.get(i);
      String paper = step.paper() == 0 ? "-" : Integer.toString(step.paper());
      List<Object> cells = new ArrayList<>(List.of(step.text(), step.left(), paper));
      for (WebCourse course : courses) {
        long served = course.served(i);
        if (course.counted(i) < 1) {
          cells.add("-");
          continue;
        }
        cells.add(
            "%.1f, %.0f %%"
                .formatted(
                    served / course.counted(i),
                    100.0 * served / course.proportional(i, perSecond)));
      }
      table.row(cells.toArray());
    }
    return table;
  }

  /** The time until users followed each change, and the failed and late requests. */
  ResultTable changes() {
    ResultTable table = new ResultTable(heading("change", "what"));
    for (int i = 1; i < steps.size(); i++) {
      int at = i;
      String step = steps.get(i).text();
      line(table, step, "followed, s", course -> seconds(course.followed(at)));
      line(table, step, "failed, begun later", course -> course.failed(at));
      line(table, step, "failed, under way", course -> course.failedUnderWay(at));
      line(table, step, "late by a SYN", course -> course.delayed(at));
    }
    return table;
  }

  private interface Measure {
    Object of(WebCourse course);
  }

  private void line(ResultTable table, String step, String what, Measure measure) {
    List<Object> cells = new ArrayList<>(List.of(step, what));
    courses.forEach(course -> cells.add(measure.of(course)));
    table.row(cells.toArray());
  }

  private static String seconds(double seconds) {
    return Double.isNaN(seconds) ? "never" : String.format(Locale.ROOT, "%.2f", seconds);
  }

  ResultTable shares() {
    WebCourse serval = courses.get(0);
    List<String> heading = new ArrayList<>(List.of("Serval, share of"));
    heading.addAll(instances);
    ResultTable table = new ResultTable(heading.toArray(String[]::new));
    for (int i = 0; i < steps.size(); i++) {
      List<Object> cells = new ArrayList<>(List.of(steps.get(i).text()));
      long all = Math.max(1, serval.served(i));
      for (String instance : instances) {
        cells.add("%.0f %%".formatted(100.0 * serval.served(i, instance) / all));
      }
      table.row(cells.toArray());
    }
    return table;
  }

  TimeChart chart() {
    TimeChart chart = new TimeChart("A web service whose instances come and go");
    int second = 0;
    for (WebStep step : steps) {
      chart.mark(second, step.text());
      for (int i = 0; i < step.seconds(); i++) {
        chart.add("the paper's Figure 7, requests/s", second++, step.paper());
      }
    }
    for (WebCourse course : courses) {
      draw(chart, course, course.front() + ", requests/s", "");
    }
    for (String instance : instances) {
      draw(chart, courses.get(0), "Serval, of " + instance, instance);
    }
    return chart;
  }

  /** Draws the requests of an instance, or of all. */
  private static void draw(TimeChart chart, WebCourse course, String series, String instance) {
    for (WebRequest request : course.requests()) {
      int second = course.second(request);
      boolean wanted = instance.isEmpty() || request.instance().equals(instance);
      if (request.served() && wanted && second >= 0 && second < course.length()) {
        chart.add(series, second, 1);
      }
    }
  }
}
