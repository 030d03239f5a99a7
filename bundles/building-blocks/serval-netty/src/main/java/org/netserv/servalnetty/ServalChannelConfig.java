// SPDX-License-Identifier: Apache-2.0
package org.netserv.servalnetty;

import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import java.util.Map;

/** The options of a stream: those of every channel, half-closure, and SO_LINGER. */
final class ServalChannelConfig extends DefaultChannelConfig {
  private volatile boolean halfClosure;
  private volatile int linger = -1;

  ServalChannelConfig(ServalChannel channel) {
    super(channel);
  }

  /** Tells whether a channel stays open at the end of the peer's data. */
  boolean isHalfClosure() {
    return halfClosure;
  }

  /** Tells whether to close means to break off, as it does for TCP with SO_LINGER 0. */
  boolean breaksOff() {
    return linger == 0;
  }

  @Override
  public Map<ChannelOption<?>, Object> getOptions() {
    return getOptions(
        super.getOptions(), ChannelOption.ALLOW_HALF_CLOSURE, ChannelOption.SO_LINGER);
  }

  @Override
  @SuppressWarnings("unchecked") // the options have these types
  public <T> T getOption(ChannelOption<T> option) {
    if (option.equals(ChannelOption.ALLOW_HALF_CLOSURE)) {
      return (T) Boolean.valueOf(halfClosure);
    }
    return option.equals(ChannelOption.SO_LINGER)
        ? (T) Integer.valueOf(linger)
        : super.getOption(option);
  }

  @Override
  public <T> boolean setOption(ChannelOption<T> option, T value) {
    boolean half = option.equals(ChannelOption.ALLOW_HALF_CLOSURE);
    if (!half && !option.equals(ChannelOption.SO_LINGER)) {
      return super.setOption(option, value);
    }
    validate(option, value);
    if (half) {
      halfClosure = (Boolean) value;
    } else {
      linger = (Integer) value;
    }
    return true;
  }

  @Override
  protected void autoReadCleared() {
    ((ServalChannel) channel).stopReading();
  }
}
