package dev.damask.value;

import org.jspecify.annotations.Nullable;

/// A value that is stored under its hash, once for all contexts of a case that hold it.
@SuppressWarnings("ArrayRecordComponent") // compared by its hash
public record SharedValue(Sum hash, byte[] bytes) {
  /// Finds values by their hashes.
  @FunctionalInterface
  public interface Source {
    /// The encoded value; null when there is none.
    byte @Nullable [] get(Sum hash);
  }
}
