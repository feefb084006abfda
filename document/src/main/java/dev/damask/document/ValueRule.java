package dev.damask.document;

import java.util.List;

/// The allowed values at one place of a document.
sealed interface ValueRule {
  /// Any string.
  record Text() implements ValueRule {}

  /// A string that is not empty.
  record Name() implements ValueRule {}

  /// An expression as a string, or a constant.
  record Formula() implements ValueRule {}

  /// An ISO-8601 duration or a number of seconds.
  record Time() implements ValueRule {}

  record Whole(long min, long max) implements ValueRule {}

  record Numeral() implements ValueRule {}

  record Flag() implements ValueRule {}

  /// Only `true`.
  record Yes() implements ValueRule {}

  record Words(List<String> words) implements ValueRule {}

  record Anything() implements ValueRule {}

  record ListOf(ValueRule item, int min) implements ValueRule {}

  /// An object with arbitrary keys.
  record MapOf(ValueRule value) implements ValueRule {}

  record Shaped(ObjectRule shape) implements ValueRule {}

  /// The first alternative that fits the kind of value found.
  record Either(List<ValueRule> rules) implements ValueRule {}

  /// A term.
  record TermRule() implements ValueRule {}

  /// A term, or an object of this shape, distinguished by the leading keys.
  record TermOr(ObjectRule shape) implements ValueRule {}
}
