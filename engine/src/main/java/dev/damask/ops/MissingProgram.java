package dev.damask.ops;

import dev.damask.program.ProgramHash;

/// A program that is not registered although cases that have not ended wait for it.
///
/// @param workflow the name of the workflow
/// @param cases how many cases wait for it
public record MissingProgram(String workflow, ProgramHash program, long cases) {
  @Override
  public String toString() {
    return "%d %s of workflow %s %s for its program %s, which is not registered"
        .formatted(
            cases, cases == 1 ? "case" : "cases", workflow, cases == 1 ? "waits" : "wait", program);
  }
}
