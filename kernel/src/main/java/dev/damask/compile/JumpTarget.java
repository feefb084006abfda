package dev.damask.compile;

import java.util.Arrays;

/// An address that is known only later.
final class JumpTarget {
  private int address = -1;

  static JumpTarget[] several(int count) {
    JumpTarget[] labels = new JumpTarget[count];
    Arrays.setAll(labels, i -> new JumpTarget());
    return labels;
  }

  static int[] addresses(JumpTarget[] labels) {
    return Arrays.stream(labels).mapToInt(JumpTarget::address).toArray();
  }

  void place(int at) {
    if (address >= 0) {
      throw new IllegalStateException("label placed twice, at " + address + " and " + at);
    }
    address = at;
  }

  int address() {
    if (address < 0) {
      throw new IllegalStateException("label never placed");
    }
    return address;
  }
}
