package dev.damask.expression;

import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelComprehension;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// The free names of an expression that the library parsed.
final class CelNames {
  private final Set<String> free = new TreeSet<>();
  private final Deque<String> bound = new ArrayDeque<>();

  private CelNames() {}

  static Set<String> free(CelExpr expression) {
    CelNames names = new CelNames();
    names.visit(expression);
    return names.free;
  }

  private void visit(CelExpr expression) {
    switch (expression.getKind()) {
      case IDENT -> {
        String name = plain(expression.ident().name());
        if (!bound.contains(name)) {
          free.add(name);
        }
      }
      case COMPREHENSION -> visit(expression.comprehension());
      default -> parts(expression).forEach(this::visit);
    }
  }

  private void visit(CelComprehension fold) {
    visit(fold.iterRange());
    visit(fold.accuInit());
    bound.push(fold.accuVar());
    visit(fold.result());
    bound.push(fold.iterVar());
    visit(fold.loopCondition());
    visit(fold.loopStep());
    bound.pop();
    bound.pop();
  }

  /// A name without the dot that anchors it at the root.
  static String plain(String name) {
    return name.startsWith(".") ? name.substring(1) : name;
  }

  private static List<CelExpr> parts(CelExpr expression) {
    List<CelExpr> parts = new ArrayList<>();
    switch (expression.getKind()) {
      case SELECT -> parts.add(expression.select().operand());
      case CALL -> {
        expression.call().target().ifPresent(parts::add);
        parts.addAll(expression.call().args());
      }
      case LIST -> parts.addAll(expression.list().elements());
      case STRUCT -> expression.struct().entries().forEach(entry -> parts.add(entry.value()));
      case MAP ->
          expression
              .map()
              .entries()
              .forEach(entry -> {
                parts.add(entry.key());
                parts.add(entry.value());
              });
      case COMPREHENSION -> {
        CelComprehension fold = expression.comprehension();
        parts.addAll(
            List.of(
                fold.iterRange(),
                fold.accuInit(),
                fold.loopCondition(),
                fold.loopStep(),
                fold.result()));
      }
      case CONSTANT, IDENT, NOT_SET -> {}
    }
    return parts;
  }
}
