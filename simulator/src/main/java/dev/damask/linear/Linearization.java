package dev.damask.linear;

import java.util.List;

/// What a check found out about a history.
///
/// @param <C> a call
/// @param <A> an answer
public sealed interface Linearization<C, A> {
  /// There is an order that respects time and explains every answer.
  ///
  /// @param order the calls that happened; a pending call that is not in it did not
  /// @param states how many configurations were looked at
  record Linearizable<C, A>(List<Operation<C, A>> order, int states)
      implements Linearization<C, A> {
    public Linearizable {
      order = List.copyOf(order);
    }
  }

  /// There is no such order.
  ///
  /// @param longest the longest beginning that can be explained
  /// @param next what would have to follow it, with answers that none of the states allows
  record NotLinearizable<C, A>(
      List<Operation<C, A>> longest, List<Operation<C, A>> next, int states)
      implements Linearization<C, A> {
    public NotLinearizable {
      longest = List.copyOf(longest);
      next = List.copyOf(next);
    }

    /// One line for each call, because people have to read it.
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder("no order explains this:\n");
      longest.forEach(each -> text.append("  ").append(each.line()).append('\n'));
      text.append("and then any of these:\n");
      next.forEach(each -> text.append("  ").append(each.line()).append('\n'));
      return text.toString();
    }
  }

  /// The search was too long. It says nothing about the history.
  record GaveUp<C, A>(int states) implements Linearization<C, A> {}
}
