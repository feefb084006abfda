package dev.damask.program;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// How the instructions of process instances are shown.
final class GroupListing {
  private GroupListing() {}

  static Opcode enter(Pool.Processes processes) {
    List<String> steps = new ArrayList<>();
    for (Pool.Step step : processes.steps()) {
      steps.add(step.id() + "@" + step.gate());
    }
    return new Opcode.GroupEnter(steps);
  }

  static Opcode spawn(Pool.Processes processes, int index) {
    Pool.Step step = processes.steps()[index];
    return new Opcode.Spawn(
        step.id(), branch(processes, step.valid()), branch(processes, step.invalid()));
  }

  private static String branch(Pool.Processes processes, Pool.Branch branch) {
    List<String> spawns = new ArrayList<>();
    for (int spawn : branch.spawns()) {
      spawns.add(processes.steps()[spawn].id());
    }
    return branch.join() < 0
        ? spawns.toString()
        : spawns + " join " + join(processes, processes.joins()[branch.join()]);
  }

  private static String join(Pool.Processes processes, Pool.GroupJoin join) {
    List<String> from = new ArrayList<>();
    for (int i = 0; i < join.from().length; i++) {
      String when = join.when()[i].name().toLowerCase(Locale.ROOT);
      from.add(processes.steps()[join.from()[i]].id() + " " + when);
    }
    return processes.steps()[join.target()].id()
        + " "
        + join.need()
        + " of "
        + from
        + (join.kills() ? " kill" : " drain");
  }
}
