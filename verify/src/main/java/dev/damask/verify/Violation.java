package dev.damask.verify;

/// A property that does not hold, its place, and a counterexample.
///
/// @param where the path of the term, or the node of a net; empty for the whole workflow
/// @param sentence the violation as a sentence for people
public record Violation(
    Property property, String where, String sentence, Counterexample counterexample) {
  @Override
  public String toString() {
    String place = where.isEmpty() ? "" : " at " + where;
    return property + place + ": " + sentence + System.lineSeparator() + counterexample.text();
  }
}
