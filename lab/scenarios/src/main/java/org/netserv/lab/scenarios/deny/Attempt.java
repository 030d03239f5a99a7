// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import java.io.IOException;
import java.util.List;

/**
 * A row of the matrix: an act of a module, and the layers that must stop it.
 *
 * @param name in the table
 * @param bundle its class in {@code modules/attempts}
 * @param ground publisher of the container in which it is made
 * @param argument of the order to begin
 * @param layers that stop it, in the order in which it meets them. {@code java} is not among them,
 *     because its exceptions show where it comes first.
 * @param control run in which it has to succeed
 * @param judge decides the outcome; by default the module's own answer
 * @param meanwhile act that is repeated while the attempt is under way
 * @param since oldest JDK that has everything it needs
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
  /** Publishers on the node, named for the effect of their modules on the container. */
  static final String HARMLESS = "attacker";

  static final String LETHAL = "bomber";
  static final String SLOW = "limited";

  /** Publisher that may take connections to its prefixes. */
  static final String TAKING = "taking";

  /** Publisher that may give channels to the kernel. */
  static final String RELAYING = "relaying";

  /** Publisher that may have a process beside its container. */
  static final String PROCESSING = "processing";

  /** Returns the words after the order. */
  interface Argument {
    String of(Ground ground) throws IOException;
  }

  /** Decides the outcome from outside. */
  interface Judge {
    Outcome judge(Ground ground, int port, Outcome said) throws IOException;
  }

  /** Acts from outside. */
  interface Meanwhile {
    void act(Ground ground) throws IOException;
  }

  /**
   * The run in which the attempt has to succeed. Without a success there, nothing was denied.
   *
   * @param kind place of the run
   * @param how description of the counterpart for people; for a plain virtual machine the option
   *     that denies it
   * @param argument of the counterpart, instead of the attempt's own
   * @param judge of the counterpart; null = the attempt's judge
   */
  record Control(Kind kind, String how, Argument argument, Judge judge) {}

  /** Places for the control run. */
  enum Kind {
    /** The same attempt in a container without any layer. */
    UNCONFINED,
    /** The same class in a plain virtual machine. */
    PLAIN,
    /**
     * The allowed counterpart in the same container, for an attempt that a part other than a layer
     * stops.
     */
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

  /** Returns the attempt for this JDK and newer ones. */
  Attempt since(int jdk) {
    return new Attempt(name, bundle, ground, argument, layers, control, judge, meanwhile, jdk);
  }

  /** Returns the attempt for a kernel on which only these layers stop it. */
  Attempt stoppedBy(List<String> others) {
    return new Attempt(name, bundle, ground, argument, others, control, judge, meanwhile, since);
  }

  /**
   * Returns the attempt with a plain virtual machine as control. A virtual machine with the option
   * has to deny it.
   */
  Attempt plain(String option) {
    return controlled(new Control(Kind.PLAIN, option, argument, null));
  }

  /** Returns the attempt with its allowed counterpart as control. */
  Attempt counterpart(String how, Argument other, Judge by) {
    return controlled(new Control(Kind.COUNTERPART, how, other, by));
  }

  private Attempt controlled(Control by) {
    return new Attempt(name, bundle, ground, argument, layers, by, judge, meanwhile, since);
  }

  /** Returns true if the layers that stop the attempt can be left out of a container. */
  boolean removable() {
    return control.kind() == Kind.UNCONFINED;
  }

  /** Returns true if the container is useless after the attempt, even if its process goes on. */
  boolean ruins() {
    return layers.contains(LayerRows.CONTROLLER) || judge instanceof Sights.Ruin;
  }
}
