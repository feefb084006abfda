package dev.damask.ops;

import dev.damask.program.ProgramHash;

/// A handler, a script, a child or a type that has changed although its workflow is the same: cases
/// that have not ended may hold values of the old types.
///
/// @param workflow the name of the workflow
/// @param program the program of the workflow; a signature is not part of it
/// @param task the task; of a type its part, such as `record shop.Order.price`, `enum
///   shop.Color.RED` or `sealed shop.Payment.Card`
/// @param before the signature that the cases were started with
/// @param now the signature of the registered workflow; `missing` if there is no such part
/// @param cases how many cases that have not ended were started with the old signature
/// @param example the id of one of them
public record SignatureChange(
    String workflow,
    ProgramHash program,
    String task,
    String before,
    String now,
    long cases,
    String example) {
  @Override
  public String toString() {
    return ("workflow %s: %s%s is %s now and was %s; %d %s started before, such as %s;"
            + " keep the old types readable, or migrate the cases")
        .formatted(
            workflow,
            isType() ? "" : "the handler of task ",
            task,
            now,
            before,
            cases,
            cases == 1 ? "case was" : "cases were",
            example);
  }

  private boolean isType() {
    return task.startsWith("record ") || task.startsWith("enum ") || task.startsWith("sealed ");
  }
}
