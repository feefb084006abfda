package dev.damask.wrong.left;

import dev.damask.wrong.right.Right;

/// Half of a cycle, so that the rule against cycles can be seen to work.
public final class Left {
  private Left() {}

  public static int depth(int n) {
    return n == 0 ? 0 : Right.depth(n - 1);
  }
}
