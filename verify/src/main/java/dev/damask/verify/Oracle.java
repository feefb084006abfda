package dev.damask.verify;

import java.util.ArrayList;
import java.util.List;

/// Answers the questions that data would answer, and enumerates all ways to answer them.
///
/// A reduction is run with a prefix of answers; questions beyond it get the first answer. What was
/// asked is remembered, so [#next] can turn to the next way.
final class Oracle {
  private final List<Integer> answers = new ArrayList<>();
  private final List<Integer> options = new ArrayList<>();
  private int asked;

  /// One of so many answers.
  int choose(int count) {
    if (count == 1) {
      return 0;
    }
    if (asked == answers.size()) {
      answers.add(0);
      options.add(count);
    }
    return answers.get(asked++);
  }

  boolean decide() {
    // True first: the shortest way through most choices is to take the first branch.
    return choose(2) == 0;
  }

  /// Starts over with given answers.
  void restart(List<Integer> given) {
    answers.clear();
    options.clear();
    answers.addAll(given);
    given.forEach(answer -> options.add(Integer.MAX_VALUE));
    asked = 0;
  }

  /// Repeats with the answers found so far.
  void again() {
    asked = 0;
  }

  /// Turns to the next way to answer; false when all have been tried.
  boolean next() {
    while (!answers.isEmpty()) {
      int last = answers.size() - 1;
      if (answers.get(last) + 1 < options.get(last)) {
        answers.set(last, answers.get(last) + 1);
        asked = 0;
        return true;
      }
      answers.removeLast();
      options.removeLast();
    }
    return false;
  }

  List<Integer> answers() {
    return List.copyOf(answers);
  }
}
