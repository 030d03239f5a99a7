// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.netserv.controller.log.DesiredModule;
import org.netserv.controller.log.FetchedBundle;
import org.netserv.controller.log.LogException;
import org.netserv.controller.log.LogRecord;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.NcmLog;
import org.netserv.controller.log.StateImage;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.module.Lifetimes;
import org.netserv.controller.module.ModuleLife;
import org.netserv.controller.module.ModuleOrder;
import org.netserv.controller.module.ModuleState;
import org.netserv.controller.module.Modules;
import org.netserv.controller.ncm.NcmService;
import org.netserv.controller.ncm.OrderFactory;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the modules follow the log after a restart, and policy after a reload. On the loop. */
final class Reconciler {
  private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);

  private final Loop loop;
  private final NcmLog log;
  private final Modules modules;
  private final OrderFactory orders;
  private final Lifetimes lifetimes;
  private final NcmService service;

  Reconciler(
      Loop loop,
      NcmLog log,
      Modules modules,
      OrderFactory orders,
      Lifetimes lifetimes,
      NcmService service) {
    this.loop = loop;
    this.log = log;
    this.modules = modules;
    this.orders = orders;
    this.lifetimes = lifetimes;
    this.service = service;
  }

  /**
   * Takes up every module and fetched bundle of the log that has not expired. Ends those that
   * policy does not grant any more.
   */
  void restore() {
    lifetimes.tick();
    for (DesiredModule module : log.snapshot().modules()) {
      try {
        restore(module);
      } catch (NcmException e) {
        end(module, "policy: " + e.getMessage());
      }
    }
    for (FetchedBundle bundle : log.snapshot().bundles()) {
      try {
        modules
            .fetched()
            .restore(orders.restore(bundle), settled(OrderFactory.message(bundle.tlv())));
      } catch (NcmException e) {
        end(bundle, e);
      }
    }
  }

  private void end(FetchedBundle bundle, NcmException why) {
    modules.fetched().end(bundle.key(), new Answer(403, "user", "policy: " + why.getMessage()));
  }

  private void restore(DesiredModule module) throws NcmException {
    ModuleOrder current = orders.restore(module, module.current());
    modules
        .history()
        .add(
            module.key(),
            module.current().since(),
            ModuleState.ACCEPTED.text(),
            "SETUP of version " + module.current().version() + " accepted, says the log");
    if (module.previous().isPresent()) {
      StateImage.Version before = module.previous().get();
      modules.restore(
          orders.restore(module, before),
          before.sha256(),
          true,
          Optional.ofNullable(before.quarantine()),
          Optional.empty());
    }
    modules.restore(
        current,
        module.current().sha256(),
        module.confirmed(),
        Optional.ofNullable(module.current().quarantine()),
        settled(OrderFactory.message(module.current())));
  }

  /**
   * Returns a listener that records the end state for repetitions of the SETUP. Empty unless the
   * SETUP was under way when the controller died, perhaps between the end and the answer.
   */
  private Optional<Consumer<Answer>> settled(Ncm ncm) {
    return Optional.ofNullable(ncm.get(Header.NONCE))
        .flatMap(nonce -> log.snapshot().nonce(ncm.get(Header.USER), nonce))
        .filter(nonce -> nonce.answer().status() == 202)
        .map(nonce -> answer -> service.remember(ncm, answer));
  }

  /**
   * Asks policy again about every module and fetched bundle. Ends those that policy refuses now,
   * and changes filters that policy grants otherwise.
   */
  void reauthorise() {
    for (DesiredModule module : log.snapshot().modules()) {
      try {
        for (ModuleLife life : modules.livesOf(module.key().user())) {
          if (life.key().equals(module.key())) {
            reauthorise(module, life);
          }
        }
      } catch (NcmException e) {
        end(module, "policy: " + e.getMessage());
      }
    }
    for (FetchedBundle bundle : log.snapshot().bundles()) {
      try {
        orders.restore(bundle);
      } catch (NcmException e) {
        end(bundle, e);
      }
    }
  }

  private void reauthorise(DesiredModule module, ModuleLife life) throws NcmException {
    boolean current = life.order().version().equals(module.current().version());
    ModuleOrder order =
        orders.restore(
            module, current ? module.current() : module.previous().orElse(module.current()));
    if (!life.order().filters().equals(order.filters())) {
      modules.regrant(life, order);
    }
  }

  private void end(DesiredModule module, String why) {
    LOG.warn("module {}: ended: {}", module.key(), why);
    String user = module.key().user();
    try {
      log.append(List.of(new LogRecord.Ended(loop.wall(), user, module.key().module(), why)));
    } catch (LogException e) {
      LOG.error("{}", e.getMessage());
    }
    modules.history().add(module.key(), loop.wall(), "removed", why);
    modules.remove(module.key(), ModuleState.REMOVED, new Answer(403, "user", why), () -> {});
  }
}
