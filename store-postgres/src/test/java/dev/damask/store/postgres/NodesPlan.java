package dev.damask.store.postgres;

import dev.damask.simulation.Choices;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// What happens in a run with several nodes. The choices determine it; smaller ones give a simpler
/// run, so that a failing plan can be shrunk.
///
/// @param hasStandby whether commits wait for a synchronous standby
/// @param isRepeatable whether the server's default is REPEATABLE READ
record NodesPlan(
    int nodes,
    int shards,
    boolean hasStandby,
    boolean isRepeatable,
    List<Job> jobs,
    List<Fault> faults) {
  private static final int BEGIN_MILLIS = 400;
  private static final int FAULTS_MILLIS = 6_000;
  private static final int LENGTH_MILLIS = 4_000;

  /// The workflow of a case.
  enum Work {
    ORDER,
    COUNT,
    TIMER,
    SHARED_KEY,
    ANONYMOUS,
    BURST
  }

  /// A case and its client.
  record Job(Work work, int atMillis, int pauseMillis) {}

  /// Kinds of faults.
  enum Kind {
    KILL,
    CUT_AT_COMMIT,
    CUT_AND_STALL,
    PAUSE,
    STALL,
    SLOW,
    ZOMBIE,
    CUT_ONE,
    CUT_ALL,
    CRASH_DATABASE,
    LEAVE,
    JOIN,
    JUMP_WALL,
    JUMP_DATABASE,
    SUSPEND,
    STANDBY_AWAY,
    FAIL_OVER,
    DIE_LEAVING;

    /// Whether an undisturbed call can lose its outcome through this.
    boolean isHarmless() {
      return this == LEAVE || this == JOIN || this == JUMP_WALL;
    }
  }

  /// A fault.
  ///
  /// @param node which of the nodes that are open then
  /// @param millis how long it lasts
  record Fault(Kind kind, int atMillis, int node, int millis) {}

  /// The kinds of faults that a plan has. Several of one theme meet more often than by chance.
  private static final List<Set<Kind>> THEMES =
      List.of(
          EnumSet.complementOf(EnumSet.of(Kind.STANDBY_AWAY, Kind.FAIL_OVER)),
          EnumSet.of(Kind.ZOMBIE, Kind.STALL, Kind.PAUSE, Kind.KILL),
          EnumSet.of(Kind.CUT_AT_COMMIT, Kind.CUT_AND_STALL),
          EnumSet.of(Kind.JOIN, Kind.LEAVE, Kind.KILL, Kind.DIE_LEAVING),
          EnumSet.of(
              Kind.STANDBY_AWAY, Kind.FAIL_OVER, Kind.PAUSE, Kind.CUT_ALL, Kind.CUT_AT_COMMIT),
          EnumSet.of(Kind.CRASH_DATABASE, Kind.SUSPEND, Kind.JUMP_WALL, Kind.KILL),
          EnumSet.of(Kind.SLOW));

  static final int ALL = 0;
  static final int TAKEOVER = 1;
  static final int DOUBT = 2;
  static final int HAND_OVER = 3;
  static final int STANDBY = 4;
  static final int CLOCKS = 5;
  static final int SLOWNESS = 6;

  static NodesPlan of(Choices choices) {
    int theme = choices.next(THEMES.size());
    List<Kind> kinds = List.copyOf(THEMES.get(theme));
    int nodes = 2 + choices.next(3);
    int shards = 1 + choices.next(2);
    boolean hasStandby = theme == STANDBY;
    boolean isRepeatable = choices.next(8) == 1;
    List<Job> jobs = new ArrayList<>();
    int count = 2 + choices.next(7);
    for (int i = 0; i < count; i++) {
      jobs.add(
          new Job(
              Work.values()[choices.next(Work.values().length)],
              choices.next(FAULTS_MILLIS),
              1 + choices.next(400)));
    }
    List<Fault> faults = new ArrayList<>();
    int faultCount = choices.next(8);
    for (int i = 0; i < faultCount; i++) {
      faults.add(
          new Fault(
              kinds.get(choices.next(kinds.size())),
              BEGIN_MILLIS + choices.next(FAULTS_MILLIS),
              choices.next(8),
              1 + choices.next(LENGTH_MILLIS)));
    }
    return new NodesPlan(nodes, shards, hasStandby, isRepeatable, jobs, faults);
  }

  boolean isHarmless() {
    return faults.stream().allMatch(fault -> fault.kind.isHarmless());
  }

  boolean jumpsDatabase() {
    return faults.stream().anyMatch(fault -> fault.kind == Kind.JUMP_DATABASE);
  }
}
