package dev.damask.expression;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelCall;
import dev.cel.common.ast.CelExpr.CelComprehension;
import dev.cel.common.types.SimpleType;
import dev.damask.expression.Tree.Operator;
import dev.damask.task.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Translates the library's checked tree into ours, as far as closures know its parts.
final class CelTrees {
  private static final Map<String, Operator> UNARY =
      Map.of(
          "!_", Operator.NOT,
          "-_", Operator.NEGATE,
          "size", Operator.SIZE,
          "int", Operator.INT,
          "double", Operator.DOUBLE,
          "string", Operator.STRING,
          "bool", Operator.BOOL,
          "dyn", Operator.DYN);

  private static final Map<String, Operator> BINARY =
      Map.ofEntries(
          Map.entry("_+_", Operator.ADD),
          Map.entry("_-_", Operator.SUBTRACT),
          Map.entry("_*_", Operator.MULTIPLY),
          Map.entry("_/_", Operator.DIVIDE),
          Map.entry("_%_", Operator.MODULO),
          Map.entry("_==_", Operator.EQUAL),
          Map.entry("_!=_", Operator.NOT_EQUAL),
          Map.entry("_<_", Operator.LESS),
          Map.entry("_<=_", Operator.LESS_EQUAL),
          Map.entry("_>_", Operator.GREATER),
          Map.entry("_>=_", Operator.GREATER_EQUAL),
          Map.entry("@in", Operator.IN),
          Map.entry("contains", Operator.CONTAINS),
          Map.entry("startsWith", Operator.STARTS_WITH),
          Map.entry("endsWith", Operator.ENDS_WITH));

  private final Source source;
  private final CelAbstractSyntaxTree checked;
  private final Functions functions;
  private final Map<String, Integer> locals = new HashMap<>();
  private int slots;

  CelTrees(Source source, CelAbstractSyntaxTree checked, Functions functions) {
    this.source = source;
    this.checked = checked;
    this.functions = functions;
  }

  /// A part that closures do not know.
  private static final class Unknown extends Exception {
    private static final long serialVersionUID = 1L;

    private Unknown() {
      super(null, null, false, false);
    }
  }

  /// The tree; null when the library has to evaluate the expression itself.
  @Nullable Tree tree() {
    try {
      return tree(checked.getExpr());
    } catch (Unknown unknown) {
      return null;
    }
  }

  int slots() {
    return slots;
  }

  private Tree tree(CelExpr expression) throws Unknown {
    int position = position(expression);
    return switch (expression.getKind()) {
      case CONSTANT -> new Tree.Constant(position, constant(expression.constant()));
      case IDENT -> name(position, expression);
      case SELECT -> {
        Tree operand = tree(expression.select().operand());
        String field = expression.select().field();
        yield expression.select().testOnly()
            ? new Tree.Has(position, operand, field)
            : new Tree.Select(position, operand, field);
      }
      case CALL -> call(position, expression.call());
      case LIST -> {
        if (!expression.list().optionalIndices().isEmpty()) {
          throw new Unknown();
        }
        yield new Tree.Items(position, trees(expression.list().elements()));
      }
      case MAP -> map(position, expression.map());
      case COMPREHENSION -> fold(position, expression.comprehension());
      case STRUCT, NOT_SET -> throw new Unknown();
    };
  }

  private List<Tree> trees(List<CelExpr> expressions) throws Unknown {
    List<Tree> trees = new ArrayList<>();
    for (CelExpr expression : expressions) {
      trees.add(tree(expression));
    }
    return trees;
  }

  private static @Nullable Object constant(CelConstant constant) throws Unknown {
    return switch (constant.getKind()) {
      case NULL_VALUE -> null;
      case BOOLEAN_VALUE -> constant.booleanValue();
      case INT64_VALUE -> constant.int64Value();
      case DOUBLE_VALUE -> constant.doubleValue();
      case STRING_VALUE -> constant.stringValue();
      case BYTES_VALUE -> Bytes.of(constant.bytesValue().toByteArray());
      default -> throw new Unknown();
    };
  }

  private Tree name(int position, CelExpr expression) throws Unknown {
    String name = CelNames.plain(expression.ident().name());
    Integer slot = locals.get(name);
    if (slot != null) {
      return new Tree.Local(position, slot);
    }
    if (name.equals("ctx")) {
      return new Tree.Whole(position);
    }
    if (checked.getTypeOrThrow(expression.id()) != SimpleType.DYN) {
      throw new Unknown();
    }
    return new Tree.Variable(position, name);
  }

  private Tree call(int position, CelCall call) throws Unknown {
    List<CelExpr> operands = new ArrayList<>();
    call.target().ifPresent(operands::add);
    operands.addAll(call.args());
    Functions.Function function = functions.find(call.function(), operands.size());
    if (function != null) {
      return new Tree.Call(position, call.function(), function, trees(operands));
    }
    if (operands.size() == 1) {
      Tree operand = tree(operands.getFirst());
      if (call.function().equals("@not_strictly_false")) {
        return new Tree.NotFalse(position, operand);
      }
      return new Tree.Unary(position, known(UNARY, call.function()), operand);
    }
    if (operands.size() == 3 && call.function().equals("_?_:_")) {
      List<Tree> trees = trees(operands);
      return new Tree.Conditional(position, trees.get(0), trees.get(1), trees.get(2));
    }
    if (operands.size() != 2) {
      throw new Unknown();
    }
    Tree left = tree(operands.get(0));
    Tree right = tree(operands.get(1));
    return switch (call.function()) {
      case "_&&_" -> new Tree.And(position, left, right);
      case "_||_" -> new Tree.Or(position, left, right);
      case "_[_]" -> {
        var type = checked.getType(operands.get(1).id());
        boolean fixedDouble = type.isPresent() && type.get() == SimpleType.DOUBLE;
        yield new Tree.Index(position, left, right, fixedDouble);
      }
      default -> new Tree.Binary(position, known(BINARY, call.function()), left, right);
    };
  }

  private static Operator known(Map<String, Operator> operators, String function) throws Unknown {
    Operator operator = operators.get(function);
    if (operator == null) {
      throw new Unknown();
    }
    return operator;
  }

  /// A map whose keys are different constant texts; the others are rare.
  private Tree map(int position, CelExpr.CelMap map) throws Unknown {
    List<String> keys = new ArrayList<>();
    List<Tree> values = new ArrayList<>();
    for (CelExpr.CelMap.Entry entry : map.entries()) {
      if (entry.optionalEntry()
          || !(tree(entry.key()) instanceof Tree.Constant(var at, String key))
          || keys.contains(key)) {
        throw new Unknown();
      }
      keys.add(key);
      values.add(tree(entry.value()));
    }
    return new Tree.Entries(position, keys, values);
  }

  private Tree fold(int position, CelComprehension fold) throws Unknown {
    if (!fold.iterVar2().isEmpty()) {
      throw new Unknown();
    }
    Tree range = tree(fold.iterRange());
    Tree init = tree(fold.accuInit());
    Tree.Slots own = new Tree.Slots(slots++, slots++);
    Integer outerAccumulator = locals.put(fold.accuVar(), own.accumulator());
    Integer outerElement = locals.put(fold.iterVar(), own.element());
    Tree condition = tree(fold.loopCondition());
    Tree step = tree(fold.loopStep());
    restore(fold.iterVar(), outerElement);
    Tree result = tree(fold.result());
    restore(fold.accuVar(), outerAccumulator);
    Tree grown = growing(step, own.accumulator());
    return new Tree.Fold(position, range, own, init, new Tree.Body(condition, grown, result));
  }

  private void restore(String name, @Nullable Integer slot) {
    if (slot == null) {
      locals.remove(name);
    } else {
      locals.put(name, slot);
    }
  }

  /// Adding a list of one to the accumulator becomes an append, so that `map` and `filter` take
  /// linear time.
  private static Tree growing(Tree step, int slot) {
    return switch (step) {
      case Tree.Binary(var at, var operator, Tree.Local(var p, var s), Tree.Items(var q, var items))
          when operator == Operator.ADD && s == slot && items.size() == 1 ->
          new Tree.Append(at, slot, items.getFirst());
      case Tree.Conditional(var at, var condition, var then, var otherwise) ->
          new Tree.Conditional(at, condition, growing(then, slot), otherwise);
      default -> step;
    };
  }

  private int position(CelExpr expression) {
    Integer offset = checked.getSource().getPositionsMap().get(expression.id());
    if (offset == null) {
      return 0;
    }
    String text = source.text();
    return offset >= text.codePointCount(0, text.length())
        ? text.length()
        : text.offsetByCodePoints(0, offset);
  }
}
