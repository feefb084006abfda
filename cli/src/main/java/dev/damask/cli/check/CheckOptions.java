package dev.damask.cli.check;

import dev.damask.cli.command.Refusal;
import dev.damask.verify.Options;
import dev.damask.verify.Reduction;
import java.util.Locale;
import picocli.CommandLine.Option;

/// What a check assumes about the world outside, and how far it goes.
final class CheckOptions {
  @Option(
      names = "--bound",
      paramLabel = "N",
      description = "How many states the search may visit; ${DEFAULT-VALUE} without it.",
      defaultValue = "10000000")
  private long bound;

  @Option(
      names = "--depth",
      paramLabel = "N",
      description = {
        "How many steps a run may have: steps of the machine and events from outside,",
        "in a net transitions. Longer runs are not followed to their end."
      })
  private int depth = Integer.MAX_VALUE;

  @Option(names = "--seconds", paramLabel = "N", description = "The time limit per file.")
  private long seconds = Long.MAX_VALUE / 1_000;

  @Option(
      names = "--memory",
      paramLabel = "MB",
      description = "How much memory the visited states may take; most of the heap without it.")
  private long megabytes = Math.max(1, (Runtime.getRuntime().maxMemory() >> 20) * 7 / 10);

  @Option(names = "--no-failures", description = "Tasks never fail for good.")
  private boolean noFailures;

  @Option(names = "--no-timers", description = "Timers never fire.")
  private boolean noTimers;

  @Option(names = "--signal-once", description = "Each external place is signalled at most once.")
  private boolean signalOnce;

  @Option(names = "--no-signals", description = "External places are never signalled.")
  private boolean noSignals;

  @Option(
      names = "--instances",
      paramLabel = "N",
      description =
          "The most instances of a set whose number depends on data; ${DEFAULT-VALUE} without it.",
      defaultValue = "3")
  private int instances;

  @Option(
      names = "--added",
      paramLabel = "N",
      description = "How many instances may be added to open sets from outside.")
  private int added;

  @Option(
      names = "--reduction",
      paramLabel = "WORD",
      description = {
        "Whether orders of steps that make no difference are left out: none, always,",
        "or auto (after a first look; without this option)."
      },
      defaultValue = "auto")
  private String reduction = "auto";

  Options options() {
    positive("--bound", bound, Long.MAX_VALUE);
    positive("--depth", depth, Integer.MAX_VALUE);
    positive("--seconds", seconds, Long.MAX_VALUE / 1_000);
    positive("--memory", megabytes, Long.MAX_VALUE >> 20);
    positive("--instances", instances, 10_000);
    if (added < 0 || added > Options.ADDED_MAX) {
      throw new Refusal("--added is from 0 to " + Options.ADDED_MAX + ", found " + added);
    }
    if (signalOnce && noSignals) {
      throw new Refusal("--signal-once and --no-signals exclude each other");
    }
    Options options =
        Options.DEFAULT
            .withStates(bound)
            .withDepth(depth)
            .withMillis(seconds * 1_000)
            .withBytes(megabytes << 20)
            .withInstances(instances, added)
            .withSignals(
                noSignals
                    ? Options.Signals.NEVER
                    : signalOnce ? Options.Signals.ONCE : Options.Signals.ANY)
            .withReduction(reduction());
    options = noFailures ? options.withoutFailures() : options;
    return noTimers ? options.withoutTimers() : options;
  }

  private Reduction reduction() {
    for (Reduction each : Reduction.values()) {
      if (each.name().toLowerCase(Locale.ROOT).equals(reduction)) {
        return each;
      }
    }
    throw new Refusal("--reduction is none, auto or always, found '" + reduction + "'");
  }

  private static void positive(String option, long value, long most) {
    if (value < 1) {
      throw new Refusal(option + " is at least 1, found " + value);
    }
    if (value > most) {
      throw new Refusal(option + " is at most " + most + ", found " + value);
    }
  }
}
