package dev.damask.ops;

import dev.damask.program.ProgramHash;
import java.util.List;

/// A program that is not registered although cases that have not ended wait for it.
///
/// @param workflow the name of the workflow
/// @param cases how many cases wait for it
public record MissingProgram(String workflow, ProgramHash program, long cases) {
  /// Returns one sentence about several programs, the most important fact first.
  public static String summary(List<MissingProgram> all) {
    long cases = all.stream().mapToLong(MissingProgram::cases).sum();
    return "%d waiting %s no program; register %s: %s"
        .formatted(
            cases,
            cases == 1 ? "case has" : "cases have",
            all.size() == 1 ? "it, or migrate its cases" : "them, or migrate their cases",
            String.join("; ", all.stream().map(MissingProgram::toString).toList()));
  }

  @Override
  public String toString() {
    return "%d %s of workflow %s %s for its program %s, which is not registered"
        .formatted(
            cases, cases == 1 ? "case" : "cases", workflow, cases == 1 ? "waits" : "wait", program);
  }
}
