// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import org.netserv.serval.Registration;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.Way;

/**
 * Registrations of the published stack, which nothing proves, at the far router: they cannot take
 * the place of signed ones, nor end the rule of another host.
 */
final class PlainRegistrations {
  private static final ServiceId ROUTER = ServiceId.parse("00015b38");
  private static final ServiceId OWN = ServiceId.parse("00004777");
  private static final ServiceId SIGNED = ServiceId.parse("00005007");
  private static final String FROM = ServalAttack.STRANGER + ":40011";
  private static final int FEW = 5;

  private final ServalAttack attack;
  private int transaction;

  PlainRegistrations(ServalAttack attack) {
    this.attack = attack;
  }

  /** Sends each, and compares the kernel's rules with the ones from before. */
  void play(ServiceId anothers) throws IOException {
    long rules = attack.routers().rules(ServalRouters.FAR);
    counted("of a signed prefix, OUTSIDE", "REGISTRATION_OUTSIDE", message(false, SIGNED), FEW);
    counted("withdraws another's, UNKNOWN", "REGISTRATION_UNKNOWN", message(true, anothers), FEW);
    byte[] broken = message(false, OWN);
    broken[broken.length - 1] ^= 1;
    counted("with a wrong sum, CHECKSUM", "REGISTRATION_CHECKSUM", broken, FEW);
    byte[] cut =
        ForgedPackets.datagram(ROUTER, OWN, new byte[Registration.LENGTH - 1], Way.STRAIGHT);
    counted("cut, NO_MESSAGE", "REGISTRATION_NO_MESSAGE", cut, FEW);
    attack.rows().row("rules behind them", rules, attack.routers().rules(ServalRouters.FAR));
    attack.stranger().send(FROM, ServalAttack.AT_ROUTER, List.of(message(false, OWN)));
    ServalAttack.Counter kernel = () -> attack.routers().rules(ServalRouters.FAR);
    attack.rows().row("rules with a good one", rules + 1, ServalAttack.await(kernel, rules + 1));
    counted("withdraws its own", "REGISTRATION_WITHDRAWN", message(true, OWN), 1);
  }

  private void counted(String what, String counter, byte[] message, int times) throws IOException {
    List<byte[]> messages = Collections.nCopies(times, message);
    attack.counted(
        "unsigned registration: " + what,
        attack.router(counter),
        messages.size(),
        () -> attack.stranger().send(FROM, ServalAttack.AT_ROUTER, messages));
  }

  private byte[] message(boolean withdraws, ServiceId id) {
    ByteBuffer message = ByteBuffer.allocate(Registration.LENGTH);
    new Registration(withdraws, ++transaction, false, ServicePrefix.of(id), 0).put(message, 0);
    return ForgedPackets.datagram(ROUTER, id, message.array(), Way.STRAIGHT);
  }
}
