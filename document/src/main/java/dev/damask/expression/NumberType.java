package dev.damask.expression;

import java.math.BigInteger;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A declared type of numbers that is not part of the language.
public enum NumberType {
  UINT64(BigInteger.ZERO, BigInteger.TWO.pow(64)),
  INT256(BigInteger.TWO.pow(255).negate(), BigInteger.TWO.pow(255)),
  UINT256(BigInteger.ZERO, BigInteger.TWO.pow(256)),
  /// Exact decimal fractions.
  DECIMAL(null, null);

  private final @Nullable BigInteger least;
  private final @Nullable BigInteger beyond;

  NumberType(@Nullable BigInteger least, @Nullable BigInteger beyond) {
    this.least = least;
    this.beyond = beyond;
  }

  boolean isWhole() {
    return least != null;
  }

  boolean holds(BigInteger number) {
    return least == null
        || beyond == null
        || (number.compareTo(least) >= 0 && number.compareTo(beyond) < 0);
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
