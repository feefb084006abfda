package dev.damask.value;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// A persistent ordered tree for contexts too large for one array. A leaf holds up to 32 entries,
/// an inner node up to 32 children; a write copies one path from the root to a leaf.
final class EntryTree {
  private static final int FAN_MAX = 32;

  /// Keys and values in turn in a leaf, the smallest key of each child in an inner node.
  final @Nullable Object[] cells;

  /// Empty in a leaf.
  final EntryTree[] children;

  private EntryTree(@Nullable Object[] cells, EntryTree[] children) {
    this.cells = cells;
    this.children = children;
  }

  private static EntryTree leaf(@Nullable Object[] cells) {
    return new EntryTree(cells, new EntryTree[0]);
  }

  private static EntryTree inner(EntryTree[] children) {
    @Nullable Object[] lows = new Object[children.length];
    for (int i = 0; i < children.length; i++) {
      lows[i] = children[i].cells[0];
    }
    return new EntryTree(lows, children);
  }

  /// A tree with the entries of a sorted cell array.
  static EntryTree of(@Nullable Object[] cells) {
    int half = cells.length / 4 * 2;
    return inner(
        new EntryTree[] {
          leaf(Arrays.copyOfRange(cells, 0, half)),
          leaf(Arrays.copyOfRange(cells, half, cells.length))
        });
  }

  @Nullable Object get(String key) {
    EntryTree node = leafFor(key);
    int at = Context.search(node.cells, node.cells.length / 2, key);
    return at < 0 ? null : node.cells[at + 1];
  }

  boolean has(String key) {
    @Nullable Object[] leaf = leafFor(key).cells;
    return Context.search(leaf, leaf.length / 2, key) >= 0;
  }

  private EntryTree leafFor(String key) {
    EntryTree node = this;
    while (node.children.length > 0) {
      node = node.children[node.childFor(key)];
    }
    return node;
  }

  /// The last child whose smallest key is not greater than the key, or the first child.
  private int childFor(String key) {
    int low = 0;
    int high = cells.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (((String) Objects.requireNonNull(cells[middle])).compareTo(key) <= 0) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  EntryTree with(String key, @Nullable Object value) {
    EntryTree[] parts = put(key, value);
    return parts.length == 1 ? parts[0] : inner(parts);
  }

  /// The node that replaces this one, or the two it was split into. Recursion goes as deep as the
  /// tree, which is at most five levels for any context within its limit.
  private EntryTree[] put(String key, @Nullable Object value) {
    if (children.length == 0) {
      return splitLeaf(putCell(key, value));
    }
    int at = childFor(key);
    EntryTree[] parts = children[at].put(key, value);
    EntryTree[] next = new EntryTree[children.length + parts.length - 1];
    System.arraycopy(children, 0, next, 0, at);
    System.arraycopy(parts, 0, next, at, parts.length);
    System.arraycopy(children, at + 1, next, at + parts.length, children.length - at - 1);
    if (next.length <= FAN_MAX) {
      return new EntryTree[] {inner(next)};
    }
    int half = next.length / 2;
    return new EntryTree[] {
      inner(Arrays.copyOfRange(next, 0, half)), inner(Arrays.copyOfRange(next, half, next.length))
    };
  }

  private @Nullable Object[] putCell(String key, @Nullable Object value) {
    int at = Context.search(cells, cells.length / 2, key);
    if (at >= 0) {
      @Nullable Object[] copy = cells.clone();
      copy[at + 1] = value;
      return copy;
    }
    int insertion = -at - 1;
    @Nullable Object[] copy = new Object[cells.length + 2];
    System.arraycopy(cells, 0, copy, 0, insertion);
    copy[insertion] = key;
    copy[insertion + 1] = value;
    System.arraycopy(cells, insertion, copy, insertion + 2, cells.length - insertion);
    return copy;
  }

  private static EntryTree[] splitLeaf(@Nullable Object[] cells) {
    if (cells.length <= 2 * FAN_MAX) {
      return new EntryTree[] {leaf(cells)};
    }
    int half = cells.length / 4 * 2;
    return new EntryTree[] {
      leaf(Arrays.copyOfRange(cells, 0, half)), leaf(Arrays.copyOfRange(cells, half, cells.length))
    };
  }

  /// The tree without a key that it holds. Nodes may become small, never empty.
  EntryTree without(String key) {
    if (children.length == 0) {
      int at = Context.search(cells, cells.length / 2, key);
      @Nullable Object[] copy = new Object[cells.length - 2];
      System.arraycopy(cells, 0, copy, 0, at);
      System.arraycopy(cells, at + 2, copy, at, copy.length - at);
      return leaf(copy);
    }
    int at = childFor(key);
    EntryTree child = children[at].without(key);
    if (child.cells.length > 0) {
      EntryTree[] next = children.clone();
      next[at] = child;
      return inner(next);
    }
    EntryTree[] next = new EntryTree[children.length - 1];
    System.arraycopy(children, 0, next, 0, at);
    System.arraycopy(children, at + 1, next, at, next.length - at);
    return next.length == 0 ? leaf(new Object[0]) : inner(next);
  }

  void forEach(BiConsumer<String, @Nullable Object> action) {
    for (EntryTree child : children) {
      child.forEach(action);
    }
    if (children.length == 0) {
      for (int i = 0; i < cells.length; i += 2) {
        action.accept(Context.keyAt(cells, i), cells[i + 1]);
      }
    }
  }

  /// All entries as one sorted cell array.
  @Nullable Object[] toCells(int size) {
    @Nullable Object[] all = new Object[size * 2];
    copyInto(all, 0);
    return all;
  }

  private int copyInto(@Nullable Object[] all, int from) {
    int at = from;
    for (EntryTree child : children) {
      at = child.copyInto(all, at);
    }
    if (children.length == 0) {
      System.arraycopy(cells, 0, all, at, cells.length);
      at += cells.length;
    }
    return at;
  }
}
