package dev.damask.simulation;

import dev.damask.cases.EngineOptions;
import dev.damask.effect.EffectCall;
import dev.damask.testkit.Choices;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntPredicate;

/// Everything that decides a run.
///
/// @param crashes whether the process dies when it hands over the n-th batch
/// @param comparesBytes whether every state is rebuilt from its bytes and compared
record SimulationPlan(
    Choices scheduling,
    Choices chance,
    Faults faults,
    Function<Simulation, List<Job>> work,
    IntPredicate crashes,
    int crashesMax,
    int eventsMax,
    boolean comparesBytes) {
  private static final int EVENTS_MAX = 250;
  private static final int CRASHES_MAX = 12;
  private static final int SAMPLE = 16;
  private static final EngineOptions OPTIONS = options();

  /// The run of a seed. The three streams are apart, so that another fault does not change the
  /// work.
  static SimulationPlan of(long seed) {
    return of(
        Choices.of(seed * 3 + 1),
        Choices.of(seed * 3 + 2),
        Choices.of(seed * 3),
        seed % SAMPLE == 0);
  }

  static SimulationPlan of(
      Choices scheduling, Choices chance, Choices work, boolean comparesBytes) {
    Faults faults = Faults.of(chance);
    return new SimulationPlan(
        scheduling,
        chance,
        faults,
        run -> new Workload(run, work, faults).jobs(),
        _ -> false,
        CRASHES_MAX,
        EVENTS_MAX,
        comparesBytes);
  }

  /// Some jobs without any fault but a crash at given commits.
  static SimulationPlan crashing(
      Function<Simulation, List<Job>> work, IntPredicate crashes, long seed) {
    return new SimulationPlan(
        Choices.of(seed),
        Choices.of(seed + 1),
        Faults.NONE,
        work,
        crashes,
        Integer.MAX_VALUE,
        10_000,
        true);
  }

  List<Job> jobs(Simulation run) {
    return work.apply(run);
  }

  boolean crashesAt(int commit) {
    return crashes.test(commit);
  }

  Job job(List<Job> jobs, EffectCall call) {
    for (Job job : jobs) {
      if (job.caseId().equals(call.caseId())) {
        return job;
      }
    }
    throw new IllegalStateException("nobody started " + call);
  }

  EngineOptions options(VirtualClock clock) {
    return OPTIONS.withClock(clock);
  }

  private static EngineOptions options() {
    EngineOptions options = EngineOptions.defaults().withShards(2).withInbox(1_000, true);
    for (String type : Workload.TYPES) {
      options = options.withHandler(type, _ -> null); // never called: the world answers
    }
    return options;
  }
}
