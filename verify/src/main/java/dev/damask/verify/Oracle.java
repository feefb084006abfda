package dev.damask.verify;

import dev.damask.trace.SteppedCase;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Answers the questions that data would answer, and enumerates all combinations of answers.
///
/// A reduction runs with a prefix of answers; further questions get the first answer. The questions
/// are recorded, so that [#next] can select the next combination.
final class Oracle implements SteppedCase.Answers {
  private final List<Integer> answers = new ArrayList<>();
  private final List<Integer> options = new ArrayList<>();
  private int asked;
  private String remark = "";

  /// Records that the current answers have a consequence that only data can cause.
  void remark(String data) {
    remark = data;
  }

  /// Returns the remark on the current answers; empty if there is none.
  String remark() {
    return remark;
  }

  /// Answers further questions; null if they get the first answer.
  private @Nullable SplittableRandom random;

  /// Returns one of this many answers.
  @Override
  public int choose(int count) {
    if (count == 1) {
      return 0;
    }
    if (asked == answers.size()) {
      answers.add(random == null ? 0 : random.nextInt(count));
      options.add(count);
    }
    return answers.get(asked++);
  }

  boolean decide() {
    // True first, because the shortest path through most choices takes the first branch.
    return choose(2) == 0;
  }

  /// Restarts with given answers.
  @Override
  public void restart(List<Integer> given) {
    answers.clear();
    options.clear();
    answers.addAll(given);
    given.forEach(answer -> options.add(Integer.MAX_VALUE));
    asked = 0;
    remark = "";
    random = null;
  }

  /// Restarts with random answers.
  void restart(SplittableRandom source) {
    restart(List.of());
    random = source;
  }

  /// Restarts with the answers found so far.
  void again() {
    asked = 0;
  }

  /// Selects the next combination of answers. Returns false if all have been tried.
  boolean next() {
    remark = "";
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
