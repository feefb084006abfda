package dev.damask.program;

/// An address in the code of a program.
public record Ip(int address) {
  @Override
  public String toString() {
    return Integer.toString(address);
  }
}
