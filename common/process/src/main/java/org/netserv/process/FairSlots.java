// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A bounded number of slots, shared by keys that form a tree, such as network and host. A key may
 * use all slots that no other key wants. From {@link #STRAIN} on, a key gets another slot only
 * within its fair share. Its fair share is the slots of its parent, divided by the keys that use
 * them. When all slots are taken, a key within its share gets a slot from the key that has most. So
 * each of N keys keeps 1/N of the slots, whatever the others do, as long as there are as many slots
 * as keys. Memory grows with the slots taken, never with the keys that were refused.
 *
 * @param <T> the holder of a slot, by identity of its {@code equals}
 */
public final class FairSlots<T> {
  /** Percent of the slots from which shares count. */
  static final int STRAIN = 75;

  private final int total;
  private final Node<T> root = new Node<>(null, "");
  private final Map<T, Node<T>> holders = new HashMap<>();

  /**
   * Creates free slots.
   *
   * @param total more than 0
   */
  public FairSlots(int total) {
    this.total = total;
  }

  /**
   * Takes a slot.
   *
   * @param path the keys from the root of the tree; as many for each holder
   * @param giveWay gets the holder that had to give up its slot for this one; it has none any more
   * @return false: the key has its share, or there are as many keys as slots
   */
  public boolean take(T holder, List<String> path, Consumer<T> giveWay) {
    if (holders.containsKey(holder)) {
      return false;
    }
    if (scarce(path)) {
      Optional<T> victim = richer(path);
      if (victim.isEmpty()) {
        return false;
      }
      release(victim.get());
      giveWay.accept(victim.get());
    }
    put(holder, path);
    return true;
  }

  /** Tells whether that key would get a slot now. Changes nothing. */
  public boolean admits(List<String> path) {
    return !scarce(path) || richer(path).isPresent();
  }

  private boolean scarce(List<String> path) {
    return used() >= total || overShare(path);
  }

  private void put(T holder, List<String> path) {
    Node<T> node = root;
    node.count++;
    for (String key : path) {
      Node<T> parent = node;
      node = parent.children.computeIfAbsent(key, k -> new Node<>(parent, k));
      node.count++;
    }
    node.holders.add(holder);
    holders.put(holder, node);
  }

  /**
   * Tells whether another slot exceeds the key's share, so that others have a claim to the
   * remaining slots.
   */
  private boolean overShare(List<String> path) {
    if (100L * used() < (long) STRAIN * total) {
      return false;
    }
    double share = total;
    Node<T> node = root;
    for (String key : path) {
      Node<T> child = node == null ? null : node.children.get(key);
      int keys = node == null ? 1 : node.children.size() + (child == null ? 1 : 0);
      share /= keys;
      if ((child == null ? 0 : child.count) + 1 > share) {
        return true;
      }
      node = child;
    }
    return false;
  }

  /**
   * Finds the oldest holder of the key that has most, on the first level where the two paths
   * differ. That key must have at least two slots more than the asking key.
   */
  private Optional<T> richer(List<String> path) {
    Node<T> victim = root;
    boolean same = true;
    for (String key : path) {
      Node<T> most = victim.richest();
      Node<T> own = victim.children.get(key);
      if (same && most != own && most.count < (own == null ? 0 : own.count) + 2) {
        most = own;
      }
      if (most == null) {
        return Optional.empty();
      }
      same &= most == own;
      victim = most;
    }
    return same ? Optional.empty() : Optional.of(victim.holders.iterator().next());
  }

  /** Gives a slot back. Harmless when the holder has none. */
  public void release(T holder) {
    Node<T> node = holders.remove(holder);
    if (node == null) {
      return;
    }
    node.holders.remove(holder);
    for (Node<T> at = node; at != null; at = at.parent) {
      at.count--;
      if (at.count == 0 && at.parent != null) {
        at.parent.children.remove(at.key);
      }
    }
  }

  /** Tells whether that holder has a slot. */
  public boolean holds(T holder) {
    return holders.containsKey(holder);
  }

  /** Slots that a key holds. */
  public int held(List<String> path) {
    Node<T> node = root;
    for (String key : path) {
      node = node.children.get(key);
      if (node == null) {
        return 0;
      }
    }
    return node.count;
  }

  /** Slots taken. */
  public int used() {
    return root.count;
  }

  public int total() {
    return total;
  }

  private static final class Node<T> {
    private final Node<T> parent;
    private final String key;
    private final Map<String, Node<T>> children = new HashMap<>();
    private final LinkedHashSet<T> holders = new LinkedHashSet<>();
    private int count;

    Node(Node<T> parent, String key) {
      this.parent = parent;
      this.key = key;
    }

    Node<T> richest() {
      Node<T> most = null;
      for (Node<T> child : children.values()) {
        if (most == null || child.count > most.count) {
          most = child;
        }
      }
      return most;
    }
  }
}
