package dev.damask.simulation;

import dev.damask.cases.EngineOptions;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.Approval;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectLimit;
import dev.damask.history.HistoryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.function.IntPredicate;

/// Everything that decides a run.
///
/// @param crashes whether the process dies at the n-th [CrashPoint]
/// @param isExact whether a crash is exact: what was not synced is lost, without any chance
/// @param comparesBytes whether every state is rebuilt from its bytes and compared
/// @param isLimited whether some effect types have a limit
record SimulationPlan(
    Choices scheduling,
    Choices chance,
    Faults faults,
    Workload work,
    IntPredicate crashes,
    boolean isExact,
    int crashesMax,
    int eventsMax,
    boolean comparesBytes,
    boolean isLimited) {
  private static final int EVENTS_MAX = 250;
  private static final int EVENTS_OF_ONE_MAX = 10_000;
  private static final int CRASHES_MAX = 12;
  private static final int SAMPLE = 16;
  private static final int REVISIONS_MAX = 16; // so that histories are trimmed
  static final int SEEDS_OF_ONE_WORK = 20;
  private static final EngineOptions OPTIONS = options();

  // Seeds that tests name have no limits, so that they keep what they showed.
  private static final int LIMITED_EACH = 4;
  private static final int LIMITED_AT = 2;

  /// The effect type of which a run with limits makes one call at a time.
  static final String ONE_AT_ONCE = "A";

  private static final EngineOptions LIMITED = limitedOptions();

  /// The work of a seed; so many seeds in a row share it.
  static Workload work(long seed) {
    return Workload.of(workChoices(seed));
  }

  static Choices workChoices(long seed) {
    return Choices.of(Math.floorDiv(seed, SEEDS_OF_ONE_WORK) * 3);
  }

  static boolean isSameWork(long seed, long other) {
    return Math.floorDiv(seed, SEEDS_OF_ONE_WORK) == Math.floorDiv(other, SEEDS_OF_ONE_WORK);
  }

  /// The run of a seed. The three streams are apart, so that another fault does not change the
  /// work.
  static SimulationPlan of(long seed, Workload work) {
    return of(Choices.of(seed * 3 + 1), Choices.of(seed * 3 + 2), work, seed % SAMPLE == 0)
        .limited(Math.floorMod(seed, LIMITED_EACH) == LIMITED_AT);
  }

  static SimulationPlan of(
      Choices scheduling, Choices chance, Workload work, boolean comparesBytes) {
    return new SimulationPlan(
        scheduling,
        chance,
        Faults.of(chance),
        work,
        _ -> false,
        false,
        CRASHES_MAX,
        EVENTS_MAX,
        comparesBytes,
        false);
  }

  /// One job of [Workload#one] without any fault but a crash at given moments.
  static SimulationPlan crashing(long seed, Workload work, IntPredicate crashes) {
    return new SimulationPlan(
        Choices.of(seed * 3 + 1),
        Choices.of(seed * 3 + 2),
        Faults.NONE,
        work,
        crashes,
        true,
        Integer.MAX_VALUE,
        EVENTS_OF_ONE_MAX,
        true,
        Math.floorMod(seed, LIMITED_EACH) == LIMITED_AT);
  }

  private SimulationPlan limited(boolean value) {
    return new SimulationPlan(
        scheduling,
        chance,
        faults,
        work,
        crashes,
        isExact,
        crashesMax,
        eventsMax,
        comparesBytes,
        value);
  }

  boolean crashesAt(int moment) {
    return crashes.test(moment);
  }

  Job job(List<Job> jobs, EffectCall call) {
    for (Job job : jobs) {
      if (job.isOf(call.caseId())) {
        return job;
      }
    }
    throw new IllegalStateException("no case of this plan has made the call " + call);
  }

  EngineOptions options(VirtualClock clock) {
    return (isLimited ? LIMITED : OPTIONS).withClock(clock);
  }

  private static EngineOptions limitedOptions() {
    return OPTIONS
        .withLimit(ONE_AT_ONCE, EffectLimit.atOnce(1))
        .withLimit("B", EffectLimit.atOnce(2).withRate(2, Duration.ofMillis(300)))
        .withLimit("C", EffectLimit.perKey("n", 1).withPriority(context -> context.size() % 3));
  }

  private static EngineOptions options() {
    EngineOptions options = EngineOptions.defaults().withShards(2).withInbox(1_000, true);
    options = options.withHistory(HistoryPolicy.ALL.withRevisionsMax(REVISIONS_MAX));
    for (String type : Workload.TYPES) {
      options = options.withHandler(type, _ -> null); // never called: the world answers
    }
    return options.withApproval(
        EffectProbes.GUARDED, Approval.of("may it be sent?").withApprovers(EffectProbes.APPROVER));
  }
}
