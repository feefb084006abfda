package dev.damask.wrong.right;

import dev.damask.wrong.left.Left;

/// The other half of a cycle.
public final class Right {
  private Right() {}

  public static int depth(int n) {
    return n == 0 ? 0 : Left.depth(n - 1);
  }
}
