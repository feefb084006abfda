package dev.damask.expression;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.types.CelType;
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
import dev.damask.task.Context;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The expression library: parses and checks every expression that is not plain, and evaluates
/// those that closures do not know. Nothing outside this class and its two companions sees it.
final class CelLibrary {
  /// How deep parentheses and calls may nest.
  private static final int DEPTH_MAX = 100;

  /// Names that mean types in an expression that asks for a type, and context keys in all others.
  private static final Set<String> TYPES =
      Set.of(
          "bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint");

  /// Functions of the language that closures know only when a front end brings them along.
  private static final Set<String> STANDARD = Set.of("matches", "uint");

  /// How the library begins the message of a failure; the number is an offset into the text.
  private static final Pattern PREFIX =
      Pattern.compile("evaluation error(?: at <input>:([0-9]{1,6}))?: ");

  private final CelOptions options =
      CelOptions.current()
          .enableHeterogeneousNumericComparisons(true)
          .comprehensionMaxIterations(Locals.ROUNDS_MAX)
          .maxParseRecursionDepth(DEPTH_MAX)
          .build();
  private final CelCompiler parser = compiler().build();

  /// Not the newer planner: that hands the failure of `||` on as a value, which `==` then compares.
  private final CelRuntime runtime =
      CelRuntimeFactory.legacyCelRuntimeBuilder().setOptions(options).build();

  private CelCompilerBuilder compiler() {
    return CelCompilerFactory.standardCelCompilerBuilder()
        .setOptions(options)
        .setStandardMacros(CelStandardMacro.STANDARD_MACROS);
  }

  Parsed parse(Source source) {
    return parse(source, Functions.NONE);
  }

  Parsed parse(Source source, Functions functions) {
    CelAbstractSyntaxTree checked = check(source, functions);
    CelTrees trees = new CelTrees(source, checked, functions);
    return new Parsed(trees.tree(), trees.slots(), names(checked));
  }

  /// Parses a text, takes every free name for a context key, and checks the types that are known.
  private CelAbstractSyntaxTree check(Source source, Functions functions) {
    CelAbstractSyntaxTree parsed = accepted(source, parser.parse(source.text()));
    int nodes = CelNames.count(parsed.getExpr());
    if (nodes > Expressions.NODES_MAX) {
      throw source.invalid(
          0, "an expression has at most " + Expressions.NODES_MAX + " nodes, found " + nodes);
    }
    CelCompilerBuilder builder = compiler();
    functions.table().forEach((name, function) -> declare(builder, name, function));
    for (String name : names(parsed)) {
      builder.addVar(
          name,
          name.equals("ctx") ? MapType.create(SimpleType.STRING, SimpleType.DYN) : SimpleType.DYN);
    }
    return accepted(source, builder.build().check(parsed));
  }

  /// Functions of a front end take and give anything; they look at their values themselves. Those
  /// that the language has, such as `matches`, are declared already.
  private static void declare(
      CelCompilerBuilder builder, String name, Functions.Function function) {
    if (STANDARD.contains(name)) {
      return;
    }
    List<CelOverloadDecl> overloads = new ArrayList<>();
    for (int count = function.least(); count <= function.most(); count++) {
      List<CelType> values = Collections.nCopies(count, SimpleType.DYN);
      overloads.add(
          CelOverloadDecl.newGlobalOverload(
              "damask_" + name + "_" + count, SimpleType.DYN, values));
      if (count > 0) {
        overloads.add(
            CelOverloadDecl.newMemberOverload(
                "damask_member_" + name + "_" + count, SimpleType.DYN, values));
      }
    }
    builder.addFunctionDeclarations(CelFunctionDecl.newFunctionDeclaration(name, overloads));
  }

  private static Set<String> names(CelAbstractSyntaxTree tree) {
    Set<String> names = CelNames.free(tree.getExpr());
    if (CelNames.calls(tree.getExpr(), "type")) {
      names.removeAll(TYPES);
    }
    return names;
  }

  private static CelAbstractSyntaxTree accepted(Source source, CelValidationResult result) {
    List<CelIssue> errors = result.getErrors();
    if (!errors.isEmpty()) {
      CelIssue first = errors.getFirst();
      int column = Math.max(0, first.getSourceLocation().getColumn());
      int line = Math.max(1, first.getSourceLocation().getLine());
      throw source.invalid(offset(source.text(), line, column), oneLine(first.getMessage()));
    }
    try {
      return result.getAst();
    } catch (CelValidationException e) {
      throw source.invalid(0, oneLine(String.valueOf(e.getMessage())));
    }
  }

  private static int offset(String text, int line, int column) {
    int start = 0;
    for (int i = 1; i < line; i++) {
      start = text.indexOf('\n', start) + 1;
    }
    return Math.min(text.length(), start + column);
  }

  /// The message without its list of candidates, which is long and rarely of use.
  private static String oneLine(String message) {
    int end = message.indexOf(" (candidates:");
    String shown = end < 0 ? message : message.substring(0, end);
    int expecting = shown.indexOf(" expecting {");
    shown = expecting < 0 ? shown : shown.substring(0, expecting);
    return shown.lines().findFirst().orElse("not an expression");
  }

  /// A closure that lets the library evaluate.
  Closures.Node program(Source source) {
    Program program;
    try {
      program = runtime.createProgram(check(source, Functions.NONE));
    } catch (CelEvaluationException e) {
      throw source.invalid(0, oneLine(String.valueOf(e.getMessage())));
    }
    return (context, locals) -> evaluate(source, program, context);
  }

  private static @Nullable Object evaluate(Source source, Program program, Context context) {
    CelVariableResolver variables =
        name -> {
          if (name.equals("ctx")) {
            return Optional.of(CelValues.toCel(context.toMap()));
          }
          return context.has(name)
              ? Optional.of(CelValues.toCel(context.get(name)))
              : Optional.empty();
        };
    try {
      return CelValues.fromCel(program.eval(variables));
    } catch (CelEvaluationException e) {
      String message = String.valueOf(e.getMessage());
      Matcher prefix = PREFIX.matcher(message);
      if (!prefix.lookingAt()) {
        throw source.failure(0, oneLine(message));
      }
      int position = prefix.group(1) == null ? 0 : Integer.parseInt(prefix.group(1));
      throw source.failure(position, oneLine(message.substring(prefix.end())));
    } catch (CelValues.NoContextValue e) {
      throw source.failure(0, String.valueOf(e.getMessage()));
    }
  }
}
