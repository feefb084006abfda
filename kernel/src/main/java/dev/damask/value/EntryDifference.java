package dev.damask.value;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The difference between two entry trees, of which one came from the other by a few writes. Nodes
/// that both have are passed over as a whole, so it costs what differs.
final class EntryDifference {
  private EntryDifference() {}

  /// Shows what differs, in key order.
  static void show(EntryTree before, EntryTree after, Context.Change action) {
    Cursor old = new Cursor(before);
    Cursor now = new Cursor(after);
    while (!old.isAtEnd() || !now.isAtEnd()) {
      if (now.isAtEnd()) {
        old.descend();
        action.changed(old.key(), null, false);
        old.next();
      } else if (old.isAtEnd()) {
        now.descend();
        action.changed(now.key(), now.value(), true);
        now.next();
      } else if (old.isAtNode() && old.node() == now.node() && now.isAtNode()) {
        old.skip();
        now.skip();
      } else if (!old.isAtLeaf() || !now.isAtLeaf()) {
        // The larger node is opened first, so that both come to the start of a node they share.
        int difference = old.height() - now.height();
        if (difference >= 0) {
          old.open();
        }
        if (difference <= 0) {
          now.open();
        }
      } else {
        compare(old, now, action);
      }
    }
  }

  private static void compare(Cursor old, Cursor now, Context.Change action) {
    int order = Context.compare(old.key(), now.key());
    if (order < 0) {
      action.changed(old.key(), null, false);
      old.next();
    } else if (order > 0) {
      action.changed(now.key(), now.value(), true);
      now.next();
    } else {
      if (old.value() != now.value() && !Objects.equals(old.value(), now.value())) {
        action.changed(now.key(), now.value(), true);
      }
      old.next();
      now.next();
    }
  }

  /// A place in a tree: before a node, or at an entry of a leaf.
  private static final class Cursor {
    /// The nodes around the place and, of each but the last, which child comes next.
    private final List<EntryTree> path = new ArrayList<>();

    private final List<Integer> nexts = new ArrayList<>();

    /// The entry in the last node, if that is a leaf.
    private int entry;

    Cursor(EntryTree root) {
      path.add(root);
    }

    boolean isAtEnd() {
      return path.isEmpty();
    }

    EntryTree node() {
      return path.getLast();
    }

    /// Whether nothing of the node was passed.
    boolean isAtNode() {
      return entry == 0;
    }

    boolean isAtLeaf() {
      return node().children.length == 0;
    }

    /// How many levels are below the node.
    int height() {
      int height = 0;
      for (EntryTree each = node(); each.children.length > 0; each = each.children[0]) {
        height++;
      }
      return height;
    }

    /// Goes before the first child, unless the node is a leaf.
    void open() {
      if (!isAtLeaf()) {
        nexts.add(1);
        path.add(node().children[0]);
      }
    }

    void descend() {
      while (!isAtLeaf()) {
        open();
      }
    }

    /// Passes the node.
    void skip() {
      entry = 0;
      path.removeLast();
      while (!path.isEmpty()) {
        int next = nexts.removeLast();
        EntryTree parent = path.getLast();
        if (next < parent.children.length) {
          nexts.add(next + 1);
          path.add(parent.children[next]);
          return;
        }
        path.removeLast();
      }
    }

    /// Passes the entry.
    void next() {
      entry += 2;
      if (entry >= node().cells.length) {
        skip();
      }
    }

    String key() {
      return Context.keyAt(node().cells, entry);
    }

    @Nullable Object value() {
      return node().cells[entry + 1];
    }
  }
}
