package dev.damask.expression;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerBuilder;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.cel.runtime.CelVariableResolver;
import dev.cel.runtime.Program;
import dev.damask.value.Context;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The expression library of the language's authors, which says what an expression means.
final class CelOracle {
  private final CelOptions options =
      CelOptions.current()
          .enableHeterogeneousNumericComparisons(true)
          .comprehensionMaxIterations(Locals.ROUNDS_MAX)
          .maxParseRecursionDepth(100)
          .build();
  private final CelCompiler parser = compiler().build();

  /// Not the newer planner: that hands the failure of `||` on as a value, which `==` then compares.
  private final CelRuntime runtime =
      CelRuntimeFactory.legacyCelRuntimeBuilder().setOptions(options).build();

  /// What the library says of a text.
  enum Verdict {
    NO_EXPRESSION,
    WRONG_TYPES,
    ACCEPTED
  }

  /// The library does not accept a text.
  static final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;
    private final Verdict verdict;

    Refusal(Verdict verdict, String message) {
      super(message, null, false, false);
      this.verdict = verdict;
    }

    Verdict verdict() {
      return verdict;
    }
  }

  /// A text that the library accepted.
  record Accepted(Program program, Set<String> names) {}

  private CelCompilerBuilder compiler() {
    return CelCompilerFactory.standardCelCompilerBuilder()
        .setOptions(options)
        .setStandardMacros(CelStandardMacro.STANDARD_MACROS);
  }

  /// Parses a text, takes every free name for a context key, and checks the types that are known.
  Accepted accept(String text) throws Refusal {
    CelAbstractSyntaxTree parsed = tree(parser.parse(text), Verdict.NO_EXPRESSION);
    Set<String> names = CelNames.free(parsed.getExpr());
    CelCompilerBuilder builder = compiler();
    for (String name : names) {
      builder.addVar(
          name,
          name.equals("ctx") ? MapType.create(SimpleType.STRING, SimpleType.DYN) : SimpleType.DYN);
    }
    CelAbstractSyntaxTree checked = tree(builder.build().check(parsed), Verdict.WRONG_TYPES);
    try {
      return new Accepted(runtime.createProgram(checked), names);
    } catch (CelEvaluationException e) {
      throw new Refusal(Verdict.WRONG_TYPES, String.valueOf(e.getMessage()));
    }
  }

  private static CelAbstractSyntaxTree tree(CelValidationResult result, Verdict otherwise)
      throws Refusal {
    try {
      return result.getAst();
    } catch (CelValidationException e) {
      throw new Refusal(otherwise, String.valueOf(e.getMessage()));
    }
  }

  /// The value of an expression; throws when its evaluation fails.
  @Nullable Object value(Accepted expression, Context context)
      throws CelEvaluationException, CelValues.NoContextValue {
    CelVariableResolver variables =
        name -> {
          if (name.equals("ctx")) {
            return Optional.of(CelValues.toCel(context.toMap()));
          }
          return context.has(name)
              ? Optional.of(CelValues.toCel(context.get(name)))
              : Optional.empty();
        };
    return CelValues.fromCel(expression.program().eval(variables));
  }
}
