package dev.damask.description;

import dev.damask.compile.Compiler;
import dev.damask.program.Program;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Decoder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The description of a workflow that is written in Java: its structure, its names and the source
/// lines of its tasks. It compiles to a program with the hash of the original, so that states of
/// cases can be read and drawn without the code. Functions, conditions and expressions are opaque:
/// they have their names, and calling one throws `IllegalStateException`.
public final class Description {
  /// The first byte: the version of the format.
  static final int FORMAT = 1;

  // Terms.
  static final int TASK = 1;
  static final int SEQ = 2;
  static final int PAR = 3;
  static final int XOR = 4;
  static final int JOIN = 5;
  static final int LOOP = 6;
  static final int DEFER = 7;
  static final int CANCEL = 8;
  static final int MI = 9;
  static final int EMIT = 10;
  static final int KILL = 11;
  static final int CALL = 12;
  static final int GRAPH = 13;

  // The work of a task.
  static final int PURE = 20;
  static final int EFFECT = 21;
  static final int CHILD = 22;

  // Merges and needs.
  static final int STANDARD = 30;
  static final int COLLECT = 31;
  static final int CUSTOM = 32;
  static final int ALL = 33;
  static final int SYNC = 34;
  static final int COUNT = 35;
  static final int WHEN = 36;

  // Branches, loops and alternatives.
  static final int FREE = 40;
  static final int ELSE = 41;
  static final int GUARD = 42;
  static final int WHILE = 43;
  static final int UNTIL = 44;
  static final int TIMES = 45;
  static final int TAKE = 46;
  static final int TEST = 47;
  static final int AFTER = 48;
  static final int EXPIRED = 49;

  // Graphs; XOR is the term's number.
  static final int NONE = 60;
  static final int AND = 61;
  static final int OR = 62;
  static final int BLOCKING = 63;
  static final int CANCELLING = 64;
  static final int TO = 65;
  static final int COPIES = 66;

  private Description() {}

  /// Whether a workflow can be described. Process instances cannot: their steps decide in Java what
  /// follows, and a store of orchestrations contains their documents.
  public static boolean isPossible(WorkflowDefinition workflow) {
    boolean[] hasProcesses = {false};
    bodies(workflow)
        .forEach((path, body) ->
            TermWalker.walk(
                path, body, (_, term) -> hasProcesses[0] |= term instanceof Term.Processes));
    return !hasProcesses[0];
  }

  /// Returns the description of a workflow. Throws `IllegalArgumentException` if [#isPossible] is
  /// false.
  public static byte[] of(WorkflowDefinition workflow) {
    return new DescriptionWriter().write(workflow);
  }

  /// Returns the described workflow. Throws [Decoder.DamagedBytes] if the bytes are not a
  /// description that this version can read.
  public static WorkflowDefinition read(byte[] bytes) {
    try {
      return new DescriptionReader(bytes).read();
    } catch (IllegalArgumentException e) {
      throw new Decoder.DamagedBytes("not a valid description: " + e.getMessage());
    }
  }

  /// Compiles a described workflow. It was checked when it was compiled with its code.
  public static Program compile(WorkflowDefinition described) {
    return Compiler.compile(described, List.of(), _ -> false);
  }

  /// Returns the source line of each part of a workflow, by its path. A part that is not a task has
  /// the line of the first task inside it. Parts without a known line are left out.
  public static Map<String, String> lines(WorkflowDefinition workflow) {
    Map<String, String> lines = new TreeMap<>();
    record Stop(String path, Term term) {}
    bodies(workflow)
        .forEach((root, body) -> {
          List<Stop> stops = new ArrayList<>();
          TermWalker.walk(root, body, (path, term) -> stops.add(new Stop(path.toString(), term)));
          // Parts stand after the term that contains them, so the last stop is read first.
          for (int i = stops.size() - 1; i >= 0; i--) {
            Stop stop = stops.get(i);
            String line = stop.term instanceof Term.Task task ? task.options().line() : "";
            for (TermWalker.Part part : TermWalker.parts(stop.term)) {
              line = line.isEmpty() ? lines.getOrDefault(stop.path + part.step(), "") : line;
            }
            if (!line.isEmpty()) {
              lines.put(stop.path, line);
            }
          }
        });
    return Collections.unmodifiableMap(lines);
  }

  private static Map<TermPath, Term> bodies(WorkflowDefinition workflow) {
    Map<TermPath, Term> bodies = new LinkedHashMap<>();
    bodies.put(TermPath.BODY, workflow.body());
    workflow
        .definitions()
        .forEach(each -> bodies.put(TermPath.definition(each.name()), each.body()));
    return bodies;
  }
}
