package dev.damask.program;

import dev.damask.term.TermPath;
import java.util.List;

/// From an address back to the term it was compiled from.
public final class SourceMap {
  private final int[] addresses;
  private final List<TermPath> paths;

  /// The addresses of instructions in ascending order, and the path of each.
  public SourceMap(int[] addresses, List<TermPath> paths) {
    this.addresses = addresses.clone();
    this.paths = List.copyOf(paths);
  }

  /// The path of the instruction at, or just before, an address.
  public TermPath at(int address) {
    int found = java.util.Arrays.binarySearch(addresses, address);
    int index = found >= 0 ? found : -found - 2;
    return index < 0 ? TermPath.BODY : paths.get(index);
  }

  /// Whether an instruction starts at an address.
  public boolean isStart(int address) {
    return java.util.Arrays.binarySearch(addresses, address) >= 0;
  }
}
