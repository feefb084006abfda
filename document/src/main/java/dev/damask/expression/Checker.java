package dev.damask.expression;

import dev.damask.expression.Tree.Operator;
import dev.damask.expression.Type.ListOf;
import dev.damask.expression.Type.MapOf;
import dev.damask.expression.Type.Open;
import dev.damask.expression.Type.Simple;
import dev.damask.value.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Rejects expressions that always fail: it infers types from literals through operators, functions
/// and macros. A context key may have a value of any type.
final class Checker {
  private final Source source;
  private final Inference inference = new Inference();
  private final Map<Integer, Type> locals = new HashMap<>();
  private final Map<Integer, Type> indexes = new HashMap<>();

  private Checker(Source source) {
    this.source = source;
  }

  /// The result of the type check.
  ///
  /// @param type the type of the value
  /// @param doubles the positions of indexes that are known to be doubles, which lists reject
  record Checked(Type type, Set<Integer> doubles) {
    static final Checked NOTHING = new Checked(Simple.DYN, Set.of());
  }

  static Checked check(Source source, Tree tree) {
    Checker checker = new Checker(source);
    Type type = checker.inference.known(checker.type(tree));
    Set<Integer> doubles = new HashSet<>();
    checker.indexes.forEach((position, index) -> {
      if (checker.inference.known(index) == Simple.DOUBLE) {
        doubles.add(position);
      }
    });
    return new Checked(type, doubles);
  }

  private Type type(Tree tree) {
    return switch (tree) {
      case Tree.Constant(var at, var value) -> constant(value);
      case Tree.Variable variable -> Simple.DYN;
      case Tree.Whole whole -> new MapOf(Simple.STRING, Simple.DYN);
      case Tree.Local(var at, var slot) -> locals.getOrDefault(slot, Simple.DYN);
      case Tree.Select(var at, var operand, var field) -> field(at, operand, field);
      case Tree.Has(var at, var operand, var field) -> {
        field(at, operand, field);
        yield Simple.BOOL;
      }
      case Tree.Index(var at, var operand, var index) -> {
        Type whole = type(operand);
        Type part = type(index);
        indexes.put(at, part);
        yield called(at, "[]", Overload.INDEX, List.of(whole, part));
      }
      case Tree.And(var at, var left, var right) ->
          called(at, "&&", Overload.LOGIC, List.of(type(left), type(right)));
      case Tree.Or(var at, var left, var right) ->
          called(at, "||", Overload.LOGIC, List.of(type(left), type(right)));
      case Tree.Conditional(var at, var condition, var then, var otherwise) ->
          called(
              at,
              "?:",
              Overload.CONDITIONAL,
              List.of(type(condition), type(then), type(otherwise)));
      case Tree.Unary(var at, var operator, var operand) ->
          called(at, operator.text(), Overload.of(operator), List.of(type(operand)));
      case Tree.Binary binary -> binary(binary);
      case Tree.Items(var at, var items) -> items(items);
      case Tree.Entries entries -> entries(entries);
      case Tree.Fold fold -> fold(fold);
      case Tree.Append(var at, var slot, var item) ->
          called(
              at,
              Operator.ADD.text(),
              Overload.of(Operator.ADD),
              List.of(locals.getOrDefault(slot, Simple.DYN), new ListOf(type(item))));
      case Tree.NotFalse(var at, var operand) ->
          called(at, "&&", Overload.NOT_FALSE, List.of(type(operand)));
      case Tree.Call call -> call(call);
    };
  }

  private static Type constant(@Nullable Object value) {
    return switch (value) {
      case null -> Simple.NULL;
      case Boolean flag -> Simple.BOOL;
      case Long number -> Simple.INT;
      case Double number -> Simple.DOUBLE;
      case String text -> Simple.STRING;
      case Bytes bytes -> Simple.BYTES;
      default -> Simple.DYN;
    };
  }

  private Type field(int position, Tree operand, String field) {
    return switch (inference.known(type(operand))) {
      case MapOf(var key, var value) -> value;
      case Open open -> {
        inference.fits(Simple.DYN, open);
        yield Simple.DYN;
      }
      case Simple simple when simple == Simple.DYN -> Simple.DYN;
      case Type other ->
          throw source.invalid(position, "'." + field + "' requires a map, found " + other.word());
    };
  }

  private Type binary(Tree.Binary tree) {
    boolean isMember =
        switch (tree.operator()) {
          case CONTAINS, STARTS_WITH, ENDS_WITH, MATCHES -> true;
          default -> false;
        };
    Type right = isMember ? type(tree.right()) : Simple.DYN;
    Type left = type(tree.left());
    return called(
        tree.position(),
        tree.operator().text(),
        Overload.of(tree.operator()),
        List.of(left, isMember ? right : type(tree.right())));
  }

  private Type call(Tree.Call call) {
    List<Type> given = new ArrayList<>();
    call.operands().forEach(operand -> given.add(type(operand)));
    return switch (call.name()) {
      case "matches" -> called(call.position(), call.name(), Overload.of(Operator.MATCHES), given);
      case "uint" -> called(call.position(), call.name(), Overload.UNSIGNED, given);
      default -> {
        inference.fits(given, Collections.nCopies(given.size(), Simple.DYN));
        yield Simple.DYN;
      }
    };
  }

  /// Returns the type of the result. Throws if no overload fits.
  private Type called(int position, String name, List<Overload> overloads, List<Type> given) {
    Type result = null;
    for (Overload overload : overloads) {
      Overload own = overload.fresh(inference);
      if (inference.fits(given, own.operands())) {
        Type found = inference.known(own.result());
        result = result == null || result.equals(found) ? found : Simple.DYN;
      }
    }
    if (result == null) {
      throw source.invalid(position, "'" + name + "' is not defined for " + words(given));
    }
    return result;
  }

  private String words(List<Type> types) {
    List<String> words = types.stream().map(type -> inference.known(type).word()).toList();
    int last = words.size() - 1;
    return last == 0
        ? words.getFirst()
        : String.join(", ", words.subList(0, last)) + " and " + words.get(last);
  }

  private Type items(List<Tree> items) {
    Type all = null;
    for (Tree item : items) {
      all = joined(all, type(item));
    }
    return new ListOf(all == null ? inference.open() : all);
  }

  private Type entries(Tree.Entries tree) {
    Type keys = null;
    Type values = null;
    for (int i = 0; i < tree.keys().size(); i++) {
      Tree key = tree.keys().get(i);
      Type type = type(key);
      Type known = inference.known(type);
      if (known != Simple.STRING && known != Simple.DYN && !(known instanceof Open)) {
        throw source.invalid(
            key.position(), "the key of a map must be a string, found " + known.word());
      }
      keys = joined(keys, type);
      values = joined(values, type(tree.values().get(i)));
    }
    return new MapOf(
        keys == null ? inference.open() : keys, values == null ? inference.open() : values);
  }

  private Type joined(@Nullable Type before, Type type) {
    if (before == null) {
      return type;
    }
    return inference.fits(before, type) ? Type.moreGeneral(before, type) : Simple.DYN;
  }

  private Type fold(Tree.Fold tree) {
    Type range = type(tree.range());
    Type accumulator = type(tree.init());
    locals.put(tree.slots().accumulator(), accumulator);
    locals.put(tree.slots().element(), element(tree, inference.known(range)));
    require(tree.body().condition(), Simple.BOOL);
    require(tree.body().step(), accumulator);
    return inference.known(type(tree.body().result()));
  }

  private Type element(Tree.Fold tree, Type range) {
    return switch (range) {
      case ListOf(var item) -> item;
      case MapOf(var key, var value) -> key;
      case Open open -> {
        inference.fits(Simple.DYN, open);
        yield Simple.DYN;
      }
      case Simple simple when simple == Simple.DYN -> Simple.DYN;
      case Type other ->
          throw source.invalid(
              tree.range().position(), "a macro requires a list or a map, found " + other.word());
    };
  }

  private void require(Tree tree, Type wanted) {
    Type found = type(tree);
    if (!inference.fits(wanted, found)) {
      throw source.invalid(
          tree.position(),
          "expected %s, found %s"
              .formatted(inference.known(wanted).word(), inference.known(found).word()));
    }
  }
}
