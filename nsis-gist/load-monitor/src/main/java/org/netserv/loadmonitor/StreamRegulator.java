// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.netserv.loadmonitor.MonitorConfig.Control;
import org.netserv.overload.feedback.FeedbackKind;

/**
 * Regulates a server by TCP. The bytes that wait in its connections tell that it is overloaded, and
 * nothing tells how many messages it has read. All streams of the edges' users pass the edges, so
 * their reports tell the rest.
 */
final class StreamRegulator implements Regulator {
  private final Control control;
  private WindowControl windows;
  private long backlog; // bytes that wait in the server's connections

  StreamRegulator(Control control) {
    this.control = control;
    windows = new WindowControl(control.delay());
  }

  @Override
  public FeedbackKind kind() {
    return FeedbackKind.WINDOW;
  }

  @Override
  public void add(LoadSample sample, List<Edge> edges, boolean holding) {
    backlog = sample.queue();
    if (edges.stream().anyMatch(Edge::hasReported)) {
      long done = edges.stream().mapToLong(Edge::done).sum();
      long waiting = edges.stream().mapToLong(Edge::waiting).sum();
      windows.add(new LoadSample(sample.nanos(), done, waiting, 0, 0), holding);
    }
  }

  @Override
  public boolean isHeavy() {
    return backlog >= control.heavyBytes();
  }

  /** Divides the window as the rate of the server would be divided. */
  @Override
  public double[] shares(double[] offered) {
    double[] shares = Shares.of(Math.max(1, windows.capacity()), offered);
    double all = Math.max(1e-9, Arrays.stream(shares).sum());
    for (int i = 0; i < shares.length; i++) {
      shares[i] *= windows.window() / all;
    }
    return shares;
  }

  @Override
  public double capacity() {
    return windows.capacity();
  }

  @Override
  public int interval() {
    return control.sample();
  }

  @Override
  public void begin() {
    windows = new WindowControl(control.delay());
  }

  @Override
  public void status(Map<String, Object> figures) {
    figures.put("capacity", Math.round(windows.capacity()));
    figures.put("served", Math.round(windows.served()));
    figures.put("window", Math.round(windows.window()));
    figures.put("answer-ms", Math.round(1000 * windows.time()));
    figures.put("backlog", backlog);
  }
}
