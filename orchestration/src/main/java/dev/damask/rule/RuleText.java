package dev.damask.rule;

import dev.damask.expression.Expressions;
import dev.damask.expression.InvalidExpression;
import dev.damask.expression.RuleExpression;
import dev.damask.task.ExpressionFailure;
import dev.damask.value.Context;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Distinguishes literals, templates and expressions in rule documents, and turns placeholders into
/// variables of expressions.
final class RuleText {
  static final Pattern PLACEHOLDER = Pattern.compile("\\[([A-Za-z_][A-Za-z0-9_]*)\\]");
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
  private static final Pattern LONG_DIGITS = Pattern.compile("[0-9]{16,}");
  private static final Pattern STRONG = Pattern.compile("[*/%()<>!=|&]");
  private static final String OPERAND = "(\\[[A-Za-z_][A-Za-z0-9_]*\\]|[0-9]+(\\.[0-9]+)?)";

  /// Arithmetic such as `[n]+1`, of numbers and placeholders only. A minus needs a space on both
  /// sides, so dates and telephone numbers are not subtractions.
  private static final Pattern SUM =
      Pattern.compile("\\s*" + OPERAND + "((\\s*\\+\\s*|\\s+-\\s+)" + OPERAND + ")+\\s*");

  /// Reserved words of the language. A field may still have such a name.
  private static final Set<String> RESERVED =
      Set.of(
          "as",
          "break",
          "const",
          "continue",
          "else",
          "false",
          "for",
          "function",
          "if",
          "import",
          "in",
          "let",
          "loop",
          "namespace",
          "null",
          "package",
          "return",
          "true",
          "var",
          "void",
          "while");

  private RuleText() {}

  /// The form of a string.
  enum Form {
    /// Exactly one placeholder, whose value keeps its type.
    PASS,
    EXPRESSION,
    /// A string with or without placeholders.
    TEMPLATE
  }

  static Form classify(String text) {
    String trimmed = text.strip();
    if (PLACEHOLDER.matcher(trimmed).matches()) {
      return Form.PASS;
    }
    if (LONG_DIGITS.matcher(trimmed).matches()) {
      return Form.TEMPLATE;
    }
    boolean literal =
        trimmed.equals("true")
            || trimmed.equals("false")
            || NUMBER.matcher(trimmed).matches()
            || isQuoted(trimmed);
    String outside = PLACEHOLDER.matcher(trimmed).replaceAll("");
    boolean sum = outside.length() < trimmed.length() && SUM.matcher(trimmed).matches();
    return literal || STRONG.matcher(outside).find() || sum ? Form.EXPRESSION : Form.TEMPLATE;
  }

  private static boolean isQuoted(String text) {
    char first = text.isEmpty() ? ' ' : text.charAt(0);
    return text.length() > 1
        && (first == '"' || first == '\'')
        && text.charAt(text.length() - 1) == first
        && text.indexOf(first, 1) == text.length() - 1;
  }

  /// Whether a condition has neither placeholder nor operator.
  static boolean isProse(String text) {
    return !PLACEHOLDER.matcher(text).find() && !STRONG.matcher(text).find() && text.contains(" ");
  }

  /// The number of bytes that an evaluation reads.
  static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  static int placeholders(String text) {
    return (int) PLACEHOLDER.matcher(text).results().count();
  }

  /// Compiles an expression. Throws `InvalidExpression` if it is not valid.
  static RuleExpression compile(String text) {
    return compile(text, Map.of());
  }

  /// Compiles an expression with types of declared variables.
  static RuleExpression compile(String text, Map<String, String> types) {
    return Expressions.expression(source(text), RuleFunctions.ALL, types);
  }

  /// The variables of an expression; empty if the string is not an expression.
  static Set<String> names(String text) {
    try {
      return compile(text).names();
    } catch (InvalidExpression e) {
      return Set.of();
    }
  }

  /// The value of a condition without variables; empty if it has variables or is not a condition.
  static Optional<Boolean> constant(String text) {
    try {
      RuleExpression compiled = compile(text);
      return compiled.names().isEmpty() && compiled.value(Context.empty()) instanceof Boolean flag
          ? Optional.of(flag)
          : Optional.empty();
    } catch (InvalidExpression | ExpressionFailure e) {
      return Optional.empty();
    }
  }

  /// Replaces placeholders with variables. After a name, a bracket or a parenthesis, brackets are
  /// an index; inside quotes they are literal.
  static String source(String text) {
    StringBuilder out = new StringBuilder();
    Matcher placeholder = PLACEHOLDER.matcher(text);
    char quote = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        out.append(c);
        if (c == '\\' && i + 1 < text.length()) {
          out.append(text.charAt(++i));
        } else if (c == quote) {
          quote = 0;
        }
      } else if (c == '[' && !isIndexed(out) && placeholder.region(i, text.length()).lookingAt()) {
        out.append(variable(placeholder.group(1)));
        i = placeholder.end() - 1;
      } else {
        quote = c == '"' || c == '\'' ? c : 0;
        out.append(c);
      }
    }
    return out.toString();
  }

  private static boolean isIndexed(StringBuilder before) {
    if (before.isEmpty()) {
      return false;
    }
    char last = before.charAt(before.length() - 1);
    return Character.isLetterOrDigit(last) || last == '_' || last == ']' || last == ')';
  }

  private static String variable(String name) {
    return RESERVED.contains(name) ? "ctx[\"" + name + "\"]" : name;
  }
}
