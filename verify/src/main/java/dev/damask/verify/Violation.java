package dev.damask.verify;

/// A property that does not hold, where, and how to get there.
///
/// @param where the path of the term, or the node of a net; empty when it is the whole
/// @param sentence what is wrong, for people
public record Violation(
    Property property, String where, String sentence, Counterexample counterexample) {
  @Override
  public String toString() {
    String place = where.isEmpty() ? "" : " at " + where;
    return property + place + ": " + sentence + System.lineSeparator() + counterexample.text();
  }
}
