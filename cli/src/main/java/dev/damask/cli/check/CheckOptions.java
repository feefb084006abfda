package dev.damask.cli.check;

import dev.damask.cli.command.Refusal;
import dev.damask.verify.Options;
import dev.damask.verify.Reduction;
import java.util.Locale;
import picocli.CommandLine.Option;

/// The assumptions of a check about external events, and its limits.
final class CheckOptions {
  @Option(
      names = "--bound",
      paramLabel = "N",
      description = "The maximum number of states to visit. Default: ${DEFAULT-VALUE}.",
      defaultValue = "10000000")
  private long bound;

  @Option(
      names = "--depth",
      paramLabel = "N",
      description =
          "The maximum depth of the search: steps of the machine and external events; in a net, "
              + "transitions.")
  private int depth = Integer.MAX_VALUE;

  @Option(names = "--seconds", paramLabel = "N", description = "The time limit per file.")
  private long seconds = Long.MAX_VALUE / 1_000;

  @Option(
      names = "--memory",
      paramLabel = "MB",
      description = "The maximum memory of the visited states. Default: most of the heap.")
  private long megabytes = Math.max(1, (Runtime.getRuntime().maxMemory() >> 20) * 7 / 10);

  @Option(
      names = "--no-failures",
      description = "Assumes that every task succeeds after its retries.")
  private boolean noFailures;

  @Option(names = "--no-timers", description = "Assumes that timers never fire.")
  private boolean noTimers;

  @Option(names = "--signal-once", description = "Assumes at most one signal per external place.")
  private boolean signalOnce;

  @Option(names = "--no-signals", description = "Assumes that no signals arrive.")
  private boolean noSignals;

  @Option(
      names = "--instances",
      paramLabel = "N",
      description =
          "The maximum instances of a set whose number depends on data. Default: ${DEFAULT-VALUE}.",
      defaultValue = "3")
  private int instances;

  @Option(
      names = "--added",
      paramLabel = "N",
      description = "The maximum number of external additions to open sets.")
  private int added;

  @Option(
      names = "--reduction",
      paramLabel = "WORD",
      description =
          "Selects the partial-order reduction: none, always, or auto, which first searches "
              + "without it. Default: auto.",
      defaultValue = "auto")
  private String reduction = "auto";

  Options options() {
    positive("--bound", bound, Long.MAX_VALUE);
    positive("--depth", depth, Integer.MAX_VALUE);
    positive("--seconds", seconds, Long.MAX_VALUE / 1_000);
    positive("--memory", megabytes, Long.MAX_VALUE >> 20);
    positive("--instances", instances, 10_000);
    if (added < 0 || added > Options.ADDED_MAX) {
      throw new Refusal("--added must be between 0 and " + Options.ADDED_MAX + ", got " + added);
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
    throw new Refusal("--reduction must be none, auto or always, got '" + reduction + "'");
  }

  private static void positive(String option, long value, long most) {
    if (value < 1) {
      throw new Refusal(option + " must be at least 1, got " + value);
    }
    if (value > most) {
      throw new Refusal(option + " must be at most " + most + ", got " + value);
    }
  }
}
