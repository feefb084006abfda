package dev.damask.task;

import java.util.HexFormat;

/// Names one execution of one effect within its case. It is derived from the lineage of the token
/// and never from a step number, so it is the same in every interleaving and after every crash.
public record EffectId(long lineage) {
  @Override
  public String toString() {
    return HexFormat.of().toHexDigits(lineage);
  }
}
