package dev.damask.typed;

import dev.damask.typed.DataTest.Money;
import org.jspecify.annotations.Nullable;

/// Stores an amount of money as a number of cents.
@SuppressWarnings("exports") // services are public
public final class MoneyCodec implements ValueCodec<Money> {
  @Override
  public Class<Money> type() {
    return Money.class;
  }

  @Override
  public Object encode(Money value) {
    return value.cents;
  }

  @Override
  public Money decode(@Nullable Object stored) {
    if (!(stored instanceof Long cents)) {
      throw new IllegalArgumentException("found " + stored);
    }
    if (cents < 0) {
      throw new IllegalArgumentException("no debts");
    }
    return new Money(cents);
  }
}
