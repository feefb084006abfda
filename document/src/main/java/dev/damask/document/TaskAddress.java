package dev.damask.document;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Which execution of a task an event speaks of: `A`, `A#2`, `A[2]`, `A[2.1]#1`.
///
/// @param instance the numbers of the instances around it, the outermost first; empty outside of
///   any, or when the address does not say
/// @param execution which execution, from one; zero means the oldest that is running
public record TaskAddress(String task, List<Integer> instance, int execution) {
  private static final Pattern FORM =
      Pattern.compile("([^\\[\\]#]+)(?:\\[([0-9]{1,9}(?:\\.[0-9]{1,9})*)])?(?:#([0-9]{1,9}))?");

  public TaskAddress {
    instance = List.copyOf(instance);
    if (task.isEmpty() || execution < 0 || instance.stream().anyMatch(i -> i < 1)) {
      throw new IllegalArgumentException("no address of a task: " + task + instance + execution);
    }
  }

  /// Reads an address; empty when the text is none.
  public static Optional<TaskAddress> parse(String text) {
    Matcher form = FORM.matcher(text);
    if (text.length() > 1_000 || !form.matches()) {
      return Optional.empty();
    }
    String label = form.group(2);
    List<Integer> instance =
        label == null
            ? List.of()
            : Pattern.compile("\\.").splitAsStream(label).map(Integer::valueOf).toList();
    int execution = form.group(3) == null ? 0 : Integer.parseInt(form.group(3));
    boolean counted = form.group(3) == null || execution > 0;
    return counted && instance.stream().allMatch(i -> i > 0)
        ? Optional.of(new TaskAddress(form.group(1), instance, execution))
        : Optional.empty();
  }

  /// The instance as it is written between brackets, such as `2.1`.
  public String label() {
    return String.join(".", instance.stream().map(String::valueOf).toList());
  }

  @Override
  public String toString() {
    String shown = instance.isEmpty() ? task : task + "[" + label() + "]";
    return execution == 0 ? shown : shown + "#" + execution;
  }
}
