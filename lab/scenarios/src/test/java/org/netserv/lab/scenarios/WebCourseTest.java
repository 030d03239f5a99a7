// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.lab.testbed.web.WebRequest;

class WebCourseTest {
  private static final List<WebStep> STEPS =
      List.of(
          new WebStep(WebStep.Kind.START, List.of(0), 1, 10, 0),
          new WebStep(WebStep.Kind.JOIN, List.of(1), 2, 10, 0),
          new WebStep(WebStep.Kind.LEAVE, List.of(0), 1, 10, 0),
          new WebStep(WebStep.Kind.KILL, List.of(1), 0, 10, 0));

  /** The kill takes half a second. */
  private static WebCourse course(WebRequest... requests) {
    return new WebCourse(
        "",
        STEPS,
        List.of(0.0, 10.0, 20.0, 30.0),
        List.of(0.0, 10.0, 20.0, 30.5),
        List.of(requests));
  }

  private static WebRequest served(double begin, double connected, double end, String instance) {
    return new WebRequest(begin, connected, end, 200, 1000, instance);
  }

  private static WebRequest failed(double begin, double end) {
    return new WebRequest(begin, begin, end, 0, 0, "");
  }

  @Test
  void theFirstSecondOfAStepDoesNotCount() {
    WebCourse course =
        course(
            served(10, 10, 10.5, "s1"),
            served(10, 10, 11.5, "s1"),
            served(19, 19, 20, "s2"),
            failed(12, 13),
            new WebRequest(12, 12, 13, 503, 100, "s1"),
            new WebRequest(12, 12, 13, 200, 999, "s1"));
    assertEquals(2, course.served(1));
    assertEquals(1, course.served(1, "s2"));
    assertEquals(9, course.counted(1));
    assertEquals(3, course.failed(1));
  }

  @Test
  void failuresAreThoseOfTheKillIfItStruckThem() {
    WebCourse course = course(failed(19, 21), failed(29, 30.2), failed(30.3, 30.4), failed(31, 32));
    assertEquals(1, course.failed(1));
    assertEquals(1, course.failedUnderWay(2));
    assertEquals(0, course.failed(2));
    assertEquals(2, course.failedUnderWay(3));
    assertEquals(1, course.failed(3));
  }

  @Test
  void aRequestThatWaitsForASynIsDelayed() {
    WebCourse course =
        course(
            served(19.5, 20.6, 22, "s1"),
            served(25, 26.01, 27, "s1"),
            served(30.4, 31.5, 31.6, "s1"),
            served(31, 34.1, 34.2, "s1"),
            served(33, 33.5, 36, "s1"));
    assertEquals(1, course.delayed(1));
    assertEquals(2, course.delayed(2));
    assertEquals(2, course.delayed(3));
    assertEquals(1, course.delayedTwice());
  }

  @Test
  void usersFollowAtTheirFirstAndLastConnections() {
    WebCourse course =
        course(
            served(10.1, 10.7, 12, "s2"),
            served(11, 11, 12, "s2"),
            served(19.9, 20.3, 21, "s1"),
            served(20.9, 20.95, 21, "s2"),
            served(30.6, 31.7, 32, "s1"));
    assertEquals(0.7, course.followed(1), 1e-9);
    assertEquals(0.3, course.followed(2), 1e-9);
    assertEquals(0.6, course.followed(3), 1e-9);
    assertEquals(Double.NaN, course().followed(1));
    assertEquals(0, course().followed(2));
  }
}
