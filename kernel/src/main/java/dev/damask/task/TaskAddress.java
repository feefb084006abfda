package dev.damask.task;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Which execution of a task an event speaks of: `A`, `A#2`, `A[2]`, `A[2.1]#1`.
///
/// @param instance the numbers of the instances around it, the outermost first; empty outside of
///   any, or if the address has none
/// @param execution which execution, from one; zero means the oldest that is running
public record TaskAddress(String task, List<Integer> instance, int execution) {
  private static final Pattern DOT = Pattern.compile("\\.");
  private static final Pattern FORM =
      Pattern.compile("([^\\[\\]#]+)(?:\\[([0-9]{1,9}(?:\\.[0-9]{1,9})*)])?(?:#([0-9]{1,9}))?");

  public TaskAddress {
    instance = List.copyOf(instance);
    if (execution < 0 || instance.stream().anyMatch(i -> i < 1)) {
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
    List<Integer> instance = numbers(label == null ? "" : label);
    int execution = form.group(3) == null ? 0 : Integer.parseInt(form.group(3));
    boolean counted = form.group(3) == null || execution > 0;
    return counted && instance.stream().allMatch(i -> i > 0)
        ? Optional.of(new TaskAddress(form.group(1), instance, execution))
        : Optional.empty();
  }

  /// The address of one execution.
  ///
  /// @param label the instances around it, such as `2.1`; empty outside of any
  public static TaskAddress of(String task, String label, int execution) {
    return new TaskAddress(task, numbers(label), execution);
  }

  private static List<Integer> numbers(String label) {
    return label.isEmpty() ? List.of() : DOT.splitAsStream(label).map(Integer::valueOf).toList();
  }

  /// Whether an execution has exactly this label; its number counts only if the address has one.
  public boolean isExactly(TaskAddress other) {
    return instance.equals(other.instance) && isNumbered(other);
  }

  /// Whether an execution has the name, and the instance and number as far as the address has them.
  public boolean covers(TaskAddress other) {
    return (instance.isEmpty() || instance.equals(other.instance)) && isNumbered(other);
  }

  private boolean isNumbered(TaskAddress other) {
    return task.equals(other.task) && (execution == 0 || execution == other.execution);
  }

  /// The executions that this address means: those with the exact label, else those it covers.
  public <T> List<T> among(List<T> running, Function<T, TaskAddress> addressOf) {
    List<T> exact = running.stream().filter(each -> isExactly(addressOf.apply(each))).toList();
    return exact.isEmpty()
        ? running.stream().filter(each -> covers(addressOf.apply(each))).toList()
        : exact;
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
