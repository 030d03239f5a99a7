// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import java.util.List;
import java.util.Map;
import org.netserv.loadmonitor.MonitorConfig.Control;
import org.netserv.overload.feedback.FeedbackKind;

/** Regulates a server by UDP: its socket tells what waits, what was read and what was dropped. */
final class DatagramRegulator implements Regulator {
  private final Control control;
  private final RateControl rates;

  DatagramRegulator(Control control) {
    this.control = control;
    rates = new RateControl(control.delay(), control.messageBytes());
  }

  @Override
  public FeedbackKind kind() {
    return FeedbackKind.RATE;
  }

  @Override
  public void add(LoadSample sample, List<Edge> edges, boolean holding) {
    rates.add(sample, holding);
  }

  @Override
  public boolean isHeavy() {
    return rates.waitMillis() > control.heavy() || rates.dropped() > 0;
  }

  @Override
  public double[] shares(double[] offered) {
    return rates.rate() <= 0 ? new double[0] : Shares.of(rates.rate(), offered);
  }

  @Override
  public double capacity() {
    return rates.capacity();
  }

  @Override
  public int interval() {
    return control.feedback();
  }

  @Override
  public void begin() {
    // keeps the figures of the server's socket, which no module changes
  }

  @Override
  public void status(Map<String, Object> figures) {
    figures.put("capacity", Math.round(rates.capacity()));
    figures.put("served", Math.round(rates.served()));
    figures.put("rate", Math.round(rates.rate()));
    figures.put("wait-ms", Math.round(rates.waitMillis()));
    figures.put("cpu-percent", Math.round(100 * rates.utilisation()));
  }
}
