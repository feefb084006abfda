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

/// Texts in rule documents: what is a literal, what a template, what an expression; and how
/// placeholders become the variables of expressions.
final class RuleText {
  static final Pattern PLACEHOLDER = Pattern.compile("\\[([A-Za-z_][A-Za-z0-9_]*)\\]");
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
  private static final Pattern LONG_DIGITS = Pattern.compile("[0-9]{16,}");
  private static final Pattern STRONG = Pattern.compile("[*/%()<>!=|&]");
  private static final String OPERAND = "(\\[[A-Za-z_][A-Za-z0-9_]*\\]|[0-9]+(\\.[0-9]+)?)";

  /// `[n]+1`: nothing but numbers and placeholders. A minus has space on both sides, so that dates
  /// and numbers of telephones are no differences.
  private static final Pattern SUM =
      Pattern.compile("\\s*" + OPERAND + "((\\s*\\+\\s*|\\s+-\\s+)" + OPERAND + ")+\\s*");

  /// Words the language keeps for itself; a field may have them as its name all the same.
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

  /// What a text is.
  enum Form {
    /// Exactly one placeholder: its value keeps its type.
    PASS,
    EXPRESSION,
    /// A text with or without placeholders.
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

  /// How many bytes an evaluation has to look at.
  static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  static int placeholders(String text) {
    return (int) PLACEHOLDER.matcher(text).results().count();
  }

  /// Compiles a text as an expression; what is wrong with it is an `InvalidExpression`.
  static RuleExpression compile(String text) {
    return compile(text, Map.of());
  }

  /// @param types of the variables that are declared
  static RuleExpression compile(String text, Map<String, String> types) {
    return Expressions.expression(source(text), RuleFunctions.ALL, types);
  }

  /// The variables of an expression; none when it is not one.
  static Set<String> names(String text) {
    try {
      return compile(text).names();
    } catch (InvalidExpression e) {
      return Set.of();
    }
  }

  /// What a condition without variables always is; empty when it has some or is none.
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

  /// The text with placeholders replaced by variables. Behind a name, a bracket or a parenthesis,
  /// brackets are an index; inside quotes they are text.
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
