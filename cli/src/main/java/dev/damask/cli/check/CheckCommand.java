package dev.damask.cli.check;

import dev.damask.check.Diagnostic;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.GraphFiles;
import dev.damask.cli.command.Lines;
import dev.damask.cli.command.RecordingFile;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.Streams;
import dev.damask.drawing.Drawing;
import dev.damask.drawing.Marks;
import dev.damask.registry.Orchestration;
import dev.damask.term.WorkflowDefinition;
import dev.damask.verify.Counterexample;
import dev.damask.verify.Options;
import dev.damask.verify.Verdict;
import dev.damask.verify.Verifier;
import dev.damask.verify.Violation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Proves workflows sound, or shows how they go wrong.
@Command(
    name = "check",
    description = {
      "Checks whether workflow documents, graphs and PNML nets are sound.",
      "Sound means: every case can complete, no case deadlocks, no token is left behind,",
      "no task is dead, and the document's assertions hold. Each violation has a counterexample."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:sound",
      "1:unsound",
      "2:invalid document",
      "3:unknown, because a bound was reached",
      "For several files, the exit code is the worst result, in the order 2, 1, 3, 0."
    })
public final class CheckCommand implements Callable<Integer> {
  /// The path of a node of a graph, or of its start.
  private static final Pattern NODE = Pattern.compile("(.*)\\.graph\\.(?:start|nodes\\.(.*))");

  /// The path of the body of a node.
  private static final Pattern BODY = Pattern.compile("(.*)\\.graph\\.nodes\\.(.*)\\.do");

  private final Streams streams;

  @Parameters(
      paramLabel = "FILE or DIR",
      arity = "1..*",
      description = "Workflow documents and PNML nets; a directory is searched recursively.")
  private List<Path> paths = List.of();

  @Option(names = "--json", description = "Prints one JSON object per file.")
  private boolean json;

  @Mixin private CheckOptions search = new CheckOptions();

  @Option(
      names = "--draw",
      paramLabel = "FILE.svg",
      description = "Draws the workflow with the first counterexample.")
  private @Nullable Path draw;

  @Option(
      names = "--scenario",
      paramLabel = "FILE.json",
      description = "Writes the first counterexample as a scenario for 'damask test'.")
  private @Nullable Path scenario;

  @Option(
      names = "--rules",
      paramLabel = "DIR",
      description = "The rules of a graph document, one KEY.json each.")
  private @Nullable Path rules;

  @Option(
      names = "--bundle",
      paramLabel = "ID",
      description = "Selects one bundle of a file with several.")
  private @Nullable String bundle;

  @Option(names = "--entry", paramLabel = "STEP", description = "The start step of a graph.")
  private @Nullable String entry;

  @Option(
      names = "--effect",
      paramLabel = "TYPE",
      description =
          "Accepts this effect type, which the program that runs the workflow handles. Repeatable.")
  private List<String> effects = new ArrayList<>();

  @Option(names = "--strict", description = "Treats warnings about a graph as errors.")
  private boolean strict;

  public CheckCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    Options options = search.options();
    List<Path> files = CheckFiles.files(paths);
    if (files.size() != 1 && (draw != null || scenario != null)) {
      throw new Refusal("--draw and --scenario require one FILE, got " + files.size());
    }
    CheckReport report = new CheckReport(streams);
    List<Integer> exits = new ArrayList<>();
    for (Path file : files) {
      Options watched = options.withProgress(new SearchProgress(streams, file));
      for (Checked checked : check(file, watched)) {
        if (json) {
          report.json(checked);
        } else {
          report.text(checked);
        }
        keep(checked);
        exits.add(checked.exit());
      }
    }
    return worst(exits);
  }

  /// A file has one result, a file of several bundles one for each.
  private List<Checked> check(Path file, Options options) {
    if (!GraphFiles.isGraph(file)) {
      return List.of(
          CheckFiles.check(
              file,
              options,
              new TreeSet<>(effects),
              warning -> streams.err().println("warning: " + Lines.oneLine(warning))));
    }
    if (bundle != null) {
      return List.of(graph(file, GraphFiles.read(file, rules, bundle, entry), options));
    }
    List<Checked> all = new ArrayList<>();
    for (Orchestration each : GraphFiles.readAll(file, rules).values()) {
      all.add(graph(file, each, options));
    }
    return all;
  }

  /// A graph document: the structural check, and then a search of all reachable states.
  private Checked graph(Path file, Orchestration orchestration, Options options) {
    long begin = System.nanoTime();
    List<Checked.Mistake> mistakes = new ArrayList<>();
    for (Diagnostic diagnostic : orchestration.check(entry, null)) {
      String line = GraphFiles.described(file, rules, diagnostic);
      if (diagnostic.isError() || strict) {
        mistakes.add(new Checked.Mistake(diagnostic.code(), line));
      } else {
        streams.err().println("warning: " + Lines.oneLine(line));
      }
    }
    if (!mistakes.isEmpty()) {
      return new Checked.Invalid(file, mistakes, (System.nanoTime() - begin) / 1_000_000);
    }
    WorkflowDefinition workflow =
        entry == null ? orchestration.workflow() : orchestration.workflowFrom(entry);
    return new Checked.Judged(
        file, null, new SourcePositions.Steps(orchestration), Verifier.check(workflow, options));
  }

  private static int worst(List<Integer> exits) {
    for (int exit : List.of(Exit.INVALID, Exit.DIFFERENT, Exit.UNKNOWN)) {
      if (exits.contains(exit)) {
        return exit;
      }
    }
    return Exit.OK;
  }

  /// Writes the counterexample to where it was asked for.
  private void keep(Checked checked) {
    if (draw == null && scenario == null) {
      return;
    }
    Optional<Violation> violation = told(checked);
    if (violation.isEmpty()) {
      message("nothing was written: there is no counterexample");
    } else if (checked instanceof Checked.Judged(var file, var document, _, var verdict)
        && document != null) {
      if (draw != null) {
        write(draw, Drawing.svg(document.workflow(), marks(violation.get())));
      }
      Path output = scenario;
      if (output != null) {
        Optional<String> text =
            CounterexampleScenario.scenario(document, file, output, violation.get());
        text.ifPresentOrElse(
            found -> write(output, found),
            () -> message("no scenario was written: the counterexample cannot be played"));
      }
    } else {
      Path file = checked.file();
      if (draw != null) {
        write(
            draw,
            GraphFiles.isGraph(file)
                ? Drawing.svg(GraphFiles.workflow(file, rules, bundle), marks(violation.get()))
                : NetPicture.svg(file, violation.get()));
      }
      if (scenario != null) {
        message("no scenario was written: nets and graphs do not support scenarios");
      }
    }
  }

  private void message(String line) {
    streams.err().println("damask: " + line);
  }

  /// The first violation that has a trace.
  private static Optional<Violation> told(Checked checked) {
    return checked instanceof Checked.Judged(_, _, _, var verdict)
            && verdict instanceof Verdict.Refuted refuted
        ? refuted.violations().stream()
            .filter(each -> !each.counterexample().steps().isEmpty())
            .findFirst()
            .or(() -> Optional.of(refuted.violations().getFirst()))
        : Optional.empty();
  }

  private static Marks marks(Violation violation) {
    Counterexample trace = violation.counterexample();
    Marks marks = Marks.NONE;
    int number = 0;
    for (Counterexample.Step step : trace.steps()) {
      number += step.isShown() ? 1 : 0;
      if (!step.path().isEmpty()) {
        marks = marks.withStep(step.path(), step.isShown() ? number : 0);
        marks = arc(marks, step);
      }
    }
    marks = passed(marks, trace);
    for (String path : trace.stands()) {
      int tokens = (int) trace.stands().stream().filter(path::equals).count();
      marks = marks.withTokens(path, tokens).withState(path, Marks.State.WAITING);
    }
    String where = violation.where();
    return where.isEmpty()
        ? marks
        : marks.withState(where, Marks.State.FAILED).withNote(where, violation.sentence());
  }

  /// A packed trace has no steps along arcs: what follows from one node to the next was taken.
  private static Marks passed(Marks marks, Counterexample trace) {
    Marks result = marks;
    String last = "start";
    for (Counterexample.Step step : trace.steps()) {
      Matcher node = BODY.matcher(step.path());
      if (step.move() instanceof Counterexample.Move.Fire && node.matches()) {
        result = result.withArc(node.group(1), last, node.group(2));
        last = node.group(2);
      }
    }
    return result;
  }

  /// A step along an arc is at the node it leaves and names the node it comes to.
  private static Marks arc(Marks marks, Counterexample.Step step) {
    Matcher node = NODE.matcher(step.path());
    boolean isArc = step.kind() == Counterexample.Kind.INTERNAL && !step.subject().isEmpty();
    if (!isArc || !node.matches() || step.text().startsWith("task ")) {
      return marks;
    }
    String from = node.group(2) == null ? "start" : node.group(2);
    return marks.withArc(node.group(1), from, step.subject());
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new Refusal(file + ": cannot be written: " + RecordingFile.why(file, e));
    }
  }
}
