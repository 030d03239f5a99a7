// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import java.io.IOException;
import java.util.List;

/**
 * A row of the matrix: something that a module does, and what is to stop it.
 *
 * @param name as the table has it
 * @param bundle its class in {@code modules/attempts}
 * @param ground which publisher's container it is made in
 * @param argument of the order to begin
 * @param layers that stop it, the first one first; {@code java} is not among them: where it comes
 *     first, the exception says so
 * @param control where it has to succeed
 * @param judge what became of it; by default what the module says
 * @param meanwhile done again and again while it is under way
 * @param since the oldest JDK that has what it needs
 */
record Attempt(
    String name,
    String bundle,
    String ground,
    Argument argument,
    List<String> layers,
    Control control,
    Judge judge,
    Meanwhile meanwhile,
    int since) {
  /** The publishers on the node, by what their modules do to their container. */
  static final String HARMLESS = "attacker";

  static final String LETHAL = "bomber";
  static final String SLOW = "limited";

  /** Words after the order. */
  interface Argument {
    String of(Ground ground) throws IOException;
  }

  /** Looks from outside. */
  interface Judge {
    Outcome judge(Ground ground, int port, Outcome said) throws IOException;
  }

  /** Somebody outside. */
  interface Meanwhile {
    void act(Ground ground) throws IOException;
  }

  /**
   * The run in which it has to succeed, or there is nothing that was denied.
   *
   * @param kind where
   * @param how its counterpart, for people; of a plain virtual machine the option that denies it
   * @param argument of the counterpart, instead of its own
   * @param judge what became of that; null = as of the attempt
   */
  record Control(Kind kind, String how, Argument argument, Judge judge) {}

  /** Places for the control run. */
  enum Kind {
    /** The same in a container without any layer. */
    UNCONFINED,
    /** The same class in a plain virtual machine. */
    PLAIN,
    /** What stops it is no layer: the counterpart that it lets through, in the same container. */
    COUNTERPART
  }

  static Attempt of(String name, String bundle, Argument argument, String... layers) {
    return new Attempt(
        name,
        bundle,
        HARMLESS,
        argument,
        List.of(layers),
        new Control(Kind.UNCONFINED, "", argument, null),
        (ground, port, said) -> said,
        ground -> {},
        17);
  }

  Attempt on(String publisher) {
    return new Attempt(name, bundle, publisher, argument, layers, control, judge, meanwhile, since);
  }

  Attempt judged(Judge by) {
    return new Attempt(name, bundle, ground, argument, layers, control, by, meanwhile, since);
  }

  Attempt meanwhile(Meanwhile what) {
    return new Attempt(name, bundle, ground, argument, layers, control, judge, what, since);
  }

  /** Needs a newer JDK. */
  Attempt since(int jdk) {
    return new Attempt(name, bundle, ground, argument, layers, control, judge, meanwhile, jdk);
  }

  /** On a kernel where only these layers stop it. */
  Attempt stoppedBy(List<String> others) {
    return new Attempt(name, bundle, ground, argument, others, control, judge, meanwhile, since);
  }

  /** Its control is the same in a plain virtual machine; one with that option has to deny it. */
  Attempt plain(String option) {
    return controlled(new Control(Kind.PLAIN, option, argument, null));
  }

  /** Its control is the same thing done as it may be. */
  Attempt counterpart(String how, Argument other, Judge by) {
    return controlled(new Control(Kind.COUNTERPART, how, other, by));
  }

  private Attempt controlled(Control by) {
    return new Attempt(name, bundle, ground, argument, layers, by, judge, meanwhile, since);
  }

  /** What stops it can be left out of a container. */
  boolean removable() {
    return control.kind() == Kind.UNCONFINED;
  }

  /** Whether its container is of no use afterwards, even if its process goes on. */
  boolean ruins() {
    return layers.contains(LayerRows.CONTROLLER) || judge instanceof Sights.Ruin;
  }
}
