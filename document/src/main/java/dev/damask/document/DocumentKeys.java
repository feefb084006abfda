package dev.damask.document;

import dev.damask.check.KeyAccess;
import dev.damask.expression.Expressions;
import dev.damask.expression.InvalidExpression;
import dev.damask.expression.KeyUse;
import dev.damask.expression.UnknownField;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.InstanceCondition;
import dev.damask.task.KnownWrites;
import dev.damask.term.Merge;
import dev.damask.term.Term;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// The keys that the tasks and expressions of a document read and write.
final class DocumentKeys implements KeyAccess {
  /// Begins the stand-in for a field that the input does not declare. No key of a document contains
  /// this character, so nothing writes it.
  private static final char FIELD = '\u0000';

  private static final Set<String> INSTANCE_NAMES = Set.of("done", "total", "results");

  private final Writes start;
  private final Set<String> result;
  private final Map<String, Object> schemas;
  private final Map<String, Reads> reads = new HashMap<>();
  private final Map<String, UnknownField> fields = new HashMap<>();

  /// @param schemas the JSON Schemas of the keys that only the input writes
  DocumentKeys(Set<String> start, Set<String> result, Map<String, Object> schemas) {
    this.start = new Writes(start, Set.of(), false);
    this.result = result;
    this.schemas = schemas;
  }

  @Override
  public Writes start() {
    return start;
  }

  @Override
  public Set<String> result() {
    return result;
  }

  /// Returns the field that a reported key stands for; null if it is a key of the context.
  @org.jspecify.annotations.Nullable
  UnknownField field(String key) {
    return fields.get(key);
  }

  @Override
  public List<Reads> reads(Term.Task task) {
    List<Reads> all = new ArrayList<>();
    Expression key = task.options().key();
    if (key != null) {
      all.add(valueReads(key));
    }
    switch (task.work()) {
      case Term.Work.Pure(var function, _) -> {
        if (function instanceof KnownWrites known) {
          known.writes().values().forEach(value -> all.add(valueReads(value)));
        }
      }
      case Term.Work.Effect(var template, _) -> {
        if (template instanceof TaskReader.DocumentEffect effect) {
          expressions(effect.with()).forEach(value -> all.add(valueReads(value)));
        } else if (template instanceof DocumentChild child) {
          child.expressions().forEach(value -> all.add(valueReads(value)));
        }
      }
    }
    return all;
  }

  @Override
  public Writes writes(Term.Task task) {
    return switch (task.work()) {
      case Term.Work.Pure(var function, _) ->
          function instanceof KnownWrites known
              ? new Writes(known.writes().keySet(), Set.of(), false)
              : task.name().isEmpty() ? Writes.NONE : Writes.UNKNOWN;
      case Term.Work.Effect(var template, _) -> {
        String key = task.options().result();
        if (key == null && template instanceof DocumentChild child && child.isDetached()) {
          yield Writes.NONE;
        }
        yield key != null
            ? Writes.of(key)
            : BuiltInPayloads.results(template.type())
                .map(keys -> new Writes(keys, Set.of(), false))
                .orElse(Writes.UNKNOWN);
      }
    };
  }

  @Override
  public Reads guardReads(Guard guard) {
    return of(guard.text());
  }

  @Override
  public Reads valueReads(Expression expression) {
    return expression.parts().isLiteral() ? Reads.NONE : of(expression.text());
  }

  @Override
  public Reads conditionReads(InstanceCondition condition) {
    Reads all = of(condition.text());
    Set<String> keys = new TreeSet<>(all.keys());
    keys.removeAll(INSTANCE_NAMES);
    return new Reads(all.text(), keys);
  }

  /// The merge `last` is part of the language: in documents, the last branch wins.
  @Override
  public boolean settles(Merge merge, String key) {
    return true;
  }

  private Reads of(String text) {
    Reads known = reads.get(text);
    if (known == null) {
      known = parse(text);
      reads.put(text, known);
    }
    return known;
  }

  private Reads parse(String text) {
    try {
      KeyUse use = Expressions.keys(text);
      Set<String> keys = new TreeSet<>(use.needed());
      for (UnknownField each : Expressions.unknownFields(text, schemas)) {
        String name = FIELD + each.owner() + "." + each.field();
        fields.put(name, each);
        keys.add(name);
      }
      return new Reads(text, keys, use.whenTrue(), use.whenFalse());
    } catch (InvalidExpression e) {
      return Reads.NONE; // a constant that is written as a value
    }
  }

  private static List<Expression> expressions(Template template) {
    List<Expression> found = new ArrayList<>();
    List<Template> open = new ArrayList<>(List.of(template));
    for (int i = 0; i < open.size(); i++) {
      switch (open.get(i)) {
        case Template.Hole(var expression) -> found.add(expression);
        case Template.Mixed(var parts) -> open.addAll(parts);
        case Template.Items(var items) -> open.addAll(items);
        case Template.Entries(var entries) -> open.addAll(entries.values());
        case Template.Fixed _, Template.Secret _ -> {}
      }
    }
    return found;
  }
}
