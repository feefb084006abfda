package dev.damask.store.postgres;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Finds statements that would end or change a transaction in a string of SQL. Text inside of
/// quotes, dollar quotes and comments is no statement.
final class TransactionWords {
  /// What is skipped: a string, a quoted name, a body in dollar quotes, a comment.
  private static final Pattern QUOTED =
      Pattern.compile(
          "(?s)'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\\$(\\w*)\\$.*?\\$\\1\\$|--[^\\n]*|/\\*.*?\\*/");

  private static final Pattern ENDING =
      Pattern.compile(
          "(commit|abort|end|begin|start transaction|prepare transaction"
              + "|rollback(?! (work |transaction )?to )"
              + "|set (local |session )?(transaction|session characteristics))\\b.*");

  private TransactionWords() {}

  /// Returns the first statement that would end or change the transaction; empty if there is none.
  static String find(String sql) {
    Matcher quoted = QUOTED.matcher(sql);
    String plain = quoted.replaceAll(each -> each.group().startsWith("'") ? "''" : " ");
    for (String statement : plain.split(";", -1)) {
      String words = statement.strip().replaceAll("\\s+", " ").toLowerCase(Locale.ROOT);
      if (ENDING.matcher(words).matches()) {
        return statement.strip();
      }
    }
    return "";
  }
}
