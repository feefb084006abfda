package dev.damask.check;

import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.InstanceCondition;
import dev.damask.task.TaskOptions;
import dev.damask.term.Flow;
import dev.damask.term.Term;
import dev.damask.value.TaskResult;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Keys that are named in the text of a leaf: `r a, w b c, ?` reads a, writes b and c, and can
/// write any other key. A guard `has a` tests a key, and `not a` is its negation.
record TextKeys(Writes start, Set<String> result) implements KeyAccess {
  static Term leaf(String text) {
    return new Term.Task(
        text, new Term.Work.Pure(context -> (TaskResult) context, text), TaskOptions.DEFAULT, null);
  }

  static Guard guard(String text) {
    return Guard.named(text, context -> true);
  }

  static Expression value(String text) {
    return Expression.named(text, context -> 1);
  }

  private static Set<String> words(String text, String verb) {
    Set<String> words = new TreeSet<>();
    for (String part : text.split(",", -1)) {
      List<String> all = Arrays.asList(part.strip().split(" ", -1));
      if (all.getFirst().equals(verb)) {
        words.addAll(all.subList(1, all.size()));
      }
    }
    return words;
  }

  private static Reads of(String text) {
    return new Reads(text, words(text, "r"), words(text, "has"), words(text, "not"));
  }

  @Override
  public List<Reads> reads(Term.Task task) {
    return List.of(of(task.name()));
  }

  @Override
  public Writes writes(Term.Task task) {
    return new Writes(words(task.name(), "w"), Set.of(), task.name().contains("?"));
  }

  @Override
  public Reads guardReads(Guard guard) {
    return of(guard.text());
  }

  @Override
  public Reads valueReads(Expression expression) {
    return of(expression.text());
  }

  @Override
  public Reads conditionReads(InstanceCondition condition) {
    return of(condition.text());
  }

  /// Describes what the analysis reports, one line each.
  static List<String> check(Term body) {
    return check(Flow.workflow("w", body));
  }

  static List<String> check(dev.damask.term.WorkflowDefinition workflow) {
    return new TextKeys(Writes.of("in"), Set.of()).lines(workflow);
  }

  List<String> lines(dev.damask.term.WorkflowDefinition workflow) {
    return DefiniteAssignment.check(workflow, this).stream()
        .map(each ->
            switch (each.kind()) {
                  case ON_NO_PATH -> "never ";
                  case NOT_ON_EVERY_PATH -> "maybe ";
                  case WRITTEN_TWICE -> "twice ";
                }
                + each.key()
                + " at "
                + each.place()
                + (each.unknownWriter() ? " ?" : ""))
        .toList();
  }
}
