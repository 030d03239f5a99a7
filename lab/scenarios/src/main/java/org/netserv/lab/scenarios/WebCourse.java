// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.netserv.lab.testbed.web.WebRequest;

/**
 * The requests of users while instances came and went, by the steps in which they did. Times are
 * seconds since 1970.
 *
 * @param steps in their order
 * @param times of the steps, just before a program is started, told to leave, or killed
 * @param done the same times, but that of a kill just after it
 * @param requests of all users
 */
record WebCourse(
    String front,
    List<WebStep> steps,
    List<Double> times,
    List<Double> done,
    List<WebRequest> requests) {
  /** The seconds behind a change that do not count. */
  private static final double WARM = 1;

  private double end(int step) {
    return times.get(step) + steps.get(step).seconds();
  }

  private long count(Predicate<WebRequest> which) {
    return requests.stream().filter(which).count();
  }

  /** Returns the requests that were served from the first second of a step on to its end. */
  long served(int step) {
    return count(request -> isServed(request, step));
  }

  /** Returns the ones of an instance. */
  long served(int step, String instance) {
    return count(request -> isServed(request, step) && request.instance().equals(instance));
  }

  private boolean isServed(WebRequest request, int step) {
    return request.served() && request.end() > times.get(step) + WARM && request.end() <= end(step);
  }

  /** Returns the seconds over which {@link #served} counts. */
  double counted(int step) {
    return steps.get(step).seconds() - WARM;
  }

  /** Returns the requests over that time that are proportional to the number of instances. */
  double proportional(int step, int perSecond) {
    return counted(step) * perSecond * steps.get(step).left();
  }

  private boolean isUnderWay(WebRequest request, int step) {
    return request.begin() < done.get(step) && request.end() >= times.get(step);
  }

  private boolean isKill(int step) {
    return steps.get(step).kind() == WebStep.Kind.KILL;
  }

  private boolean isStruckByKill(WebRequest request) {
    return IntStream.range(0, steps.size()).anyMatch(i -> isKill(i) && isUnderWay(request, i));
  }

  /** Tells whether a request began in a step, and no later kill struck it. */
  private boolean isOf(WebRequest request, int step) {
    boolean last = step == steps.size() - 1; // has all that began later, too
    return request.begin() >= done.get(step)
        && (last || request.begin() < done.get(step + 1))
        && !isStruckByKill(request);
  }

  /**
   * Returns the failed requests that began in a step, but for the ones that a later kill struck.
   */
  long failed(int step) {
    return count(request -> !request.served() && isOf(request, step));
  }

  /** Returns the failed requests that were under way at a change. */
  long failedUnderWay(int step) {
    return count(request -> !request.served() && isBefore(request, step));
  }

  /** Tells whether a request was under way at a change, and another kill did not strike it. */
  private boolean isBefore(WebRequest request, int step) {
    return isUnderWay(request, step) && (isKill(step) || !isStruckByKill(request));
  }

  /** Returns the requests of a step, or without a connection at its begin, whose SYN was resent. */
  long delayed(int step) {
    return count(request -> isDelayed(request, step));
  }

  private boolean isDelayed(WebRequest request, int step) {
    boolean waits = isBefore(request, step) && request.connected() >= times.get(step);
    return request.delayed() && (waits || isOf(request, step));
  }

  /** Returns the requests with a SYN that was sent more than twice. */
  long delayedTwice() {
    return count(WebRequest::delayedTwice);
  }

  /**
   * Returns the seconds until users followed a change, or NaN if they did not: to the first request
   * at an instance that joined, to the last one at an instance that left, and to the last one that
   * was led to an instance that was killed.
   */
  double followed(int step) {
    WebStep change = steps.get(step);
    List<String> names = change.places().stream().map(WebStep::name).toList();
    double at = times.get(step);
    Stream<WebRequest> all = requests.stream();
    return switch (change.kind()) {
      case START -> 0;
      case JOIN ->
          all.filter(r -> r.served() && names.contains(r.instance()) && r.connected() > at)
                  .mapToDouble(WebRequest::connected)
                  .min()
                  .orElse(Double.NaN)
              - at;
      case LEAVE ->
          all.filter(r -> names.contains(r.instance()) && r.connected() < end(step))
                  .mapToDouble(r -> Math.max(at, r.connected()))
                  .max()
                  .orElse(at)
              - at;
      case KILL ->
          all.filter(r -> isDelayed(r, step) || (!r.served() && isOf(r, step)))
                  .mapToDouble(WebRequest::begin)
                  .max()
                  .orElse(at)
              - at;
    };
  }

  /** Returns the seconds since the first step, cut off, in which a request ended. */
  int second(WebRequest request) {
    return (int) Math.floor(request.end() - times.get(0));
  }

  /** Returns the seconds from the first step to the end of the last one. */
  int length() {
    return steps.stream().mapToInt(WebStep::seconds).sum();
  }
}
