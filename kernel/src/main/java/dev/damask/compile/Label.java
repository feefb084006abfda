package dev.damask.compile;

/// An address that is known only later.
final class Label {
  private int address = -1;

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
