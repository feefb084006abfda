package dev.damask.task;

import dev.damask.value.Context;

/// What the engine knows of a process instance besides its payload.
///
/// @param number from 1 in the order of creation
/// @param parent the number of the process that spawned it; 0 for the first
/// @param from the step of that process; empty for the first
/// @param common the keys of the engine in the context of the case
public record ProcessInfo(int number, int parent, String from, Context common) {
  /// The keys of the same data in a context.
  public static final String NUMBER = "__process";

  public static final String PARENT = "__parent";
  public static final String FROM = "__from";

  /// The value for a task that is evaluated outside a process.
  public static final ProcessInfo NO_PROCESS = new ProcessInfo(0, 0, "", Context.empty());

  /// Returns a payload with these data.
  public Context with(Context payload) {
    return common
        .withAll(payload)
        .edit()
        .put(NUMBER, number)
        .put(PARENT, parent)
        .put(FROM, from)
        .done();
  }
}
