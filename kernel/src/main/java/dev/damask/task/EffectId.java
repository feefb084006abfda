package dev.damask.task;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// Names one execution of one effect within its case. It is derived from the lineage of the token
/// and never from a step number, so it is the same in every interleaving and after every crash.
public record EffectId(long lineage) {
  // Written out: as keys of maps they are compared more often than anything else of an effect.

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof EffectId(long same) && lineage == same;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(lineage);
  }

  @Override
  public String toString() {
    return HexFormat.of().toHexDigits(lineage);
  }
}
