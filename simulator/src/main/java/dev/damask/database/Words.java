package dev.damask.database;

import dev.damask.database.SqlScanner.Kind;
import dev.damask.database.SqlScanner.Word;
import java.util.List;

/// The words of a string, from one to the next.
class Words {
  private final List<Word> words;
  private int at;
  private int parameters;

  Words(List<Word> words) {
    this.words = words;
  }

  final Word peek() {
    return words.get(at);
  }

  final Word peek(int ahead) {
    return words.get(Math.min(at + ahead, words.size() - 1));
  }

  final Word next() {
    return words.get(at++);
  }

  final boolean is(String text) {
    return peek().is(text);
  }

  final boolean isEnd() {
    return peek().kind() == Kind.END;
  }

  final int nextParameter() {
    return parameters++;
  }

  /// Skips words if they are the next ones.
  final boolean skips(String... texts) {
    for (int i = 0; i < texts.length; i++) {
      if (!peek(i).is(texts[i])) {
        return false;
      }
    }
    at += texts.length;
    return true;
  }

  final void expect(String... texts) {
    if (!skips(texts)) {
      throw error("expected " + String.join(" ", texts));
    }
  }

  final String name() {
    Word word = next();
    if (word.kind() != Kind.NAME && word.kind() != Kind.QUOTED) {
      throw error("expected a name before");
    }
    return word.text();
  }

  final SqlError error(String what) {
    StringBuilder near = new StringBuilder();
    for (int i = Math.max(0, at - 5); i < Math.min(words.size(), at + 5); i++) {
      near.append(' ').append(words.get(i).text());
    }
    return new SqlError(SqlError.SYNTAX, "virtual database: " + what + " near:" + near);
  }
}
