package dev.damask.document;

import java.util.List;

/// What may stand at one place of a document.
sealed interface ValueRule {
  /// Any text.
  record Text() implements ValueRule {}

  /// A text that is not empty.
  record Name() implements ValueRule {}

  /// An expression as text, or a constant.
  record Formula() implements ValueRule {}

  /// An ISO-8601 duration or a number of seconds.
  record Time() implements ValueRule {}

  record Whole(long min, long max) implements ValueRule {}

  record Numeral() implements ValueRule {}

  record Flag() implements ValueRule {}

  /// Nothing but `true`.
  record Yes() implements ValueRule {}

  record Words(List<String> words) implements ValueRule {}

  record Anything() implements ValueRule {}

  record ListOf(ValueRule item, int min) implements ValueRule {}

  /// An object whose keys are free.
  record MapOf(ValueRule value) implements ValueRule {}

  record Shaped(Shape shape) implements ValueRule {}

  /// The first alternative that fits the kind of value found.
  record Either(List<ValueRule> rules) implements ValueRule {}

  /// A term.
  record TermRule() implements ValueRule {}

  /// A term, or an object of this shape, told apart by the leading keys.
  record TermOr(Shape shape) implements ValueRule {}
}
