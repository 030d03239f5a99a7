// SPDX-License-Identifier: Apache-2.0
package org.netserv.servalnetty;

import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import java.util.Map;

/** The options of a stream: those of every channel, and half-closure. */
final class ServalChannelConfig extends DefaultChannelConfig {
  private volatile boolean halfClosure;

  ServalChannelConfig(ServalChannel channel) {
    super(channel);
  }

  /** Tells whether a channel stays open at the end of the peer's data. */
  boolean isHalfClosure() {
    return halfClosure;
  }

  @Override
  public Map<ChannelOption<?>, Object> getOptions() {
    return getOptions(super.getOptions(), ChannelOption.ALLOW_HALF_CLOSURE);
  }

  @Override
  @SuppressWarnings("unchecked") // the option has this type
  public <T> T getOption(ChannelOption<T> option) {
    return option.equals(ChannelOption.ALLOW_HALF_CLOSURE)
        ? (T) Boolean.valueOf(halfClosure)
        : super.getOption(option);
  }

  @Override
  public <T> boolean setOption(ChannelOption<T> option, T value) {
    if (!option.equals(ChannelOption.ALLOW_HALF_CLOSURE)) {
      return super.setOption(option, value);
    }
    validate(option, value);
    halfClosure = (Boolean) value;
    return true;
  }

  @Override
  protected void autoReadCleared() {
    ((ServalChannel) channel).stopReading();
  }
}
