package dev.damask.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What the witness wrote down: one line for each call it received, in the order of arrival.
record Ledger(List<Entry> entries) {
  /// One call: which effect, of which case, under which key, asking for what.
  record Entry(String type, String caseId, String key, String payload) {
    static Entry parse(String line) {
      String[] parts = line.split("\t", -1);
      if (parts.length != 4) {
        throw new IllegalArgumentException("not a line of a ledger: " + line);
      }
      return new Entry(parts[0], parts[1], parts[2], parts[3]);
    }

    String line() {
      return String.join("\t", type, caseId, key, payload);
    }
  }

  static Ledger read(Path file) {
    try {
      return new Ledger(Files.readAllLines(file).stream().map(Entry::parse).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// How often each case called an effect.
  int calls(String caseId, String type) {
    return (int)
        entries.stream()
            .filter(entry -> entry.caseId().equals(caseId) && entry.type().equals(type))
            .count();
  }

  /// What no engine may do, whatever happened to it: one sentence for each time it did.
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    Map<String, Entry> byKey = new TreeMap<>();
    Map<String, String> keys = new TreeMap<>();
    for (Entry entry : entries) {
      Entry before = byKey.putIfAbsent(entry.key(), entry);
      if (before != null && !before.equals(entry)) {
        problems.add("one key asks for two things: " + before + " and " + entry);
      }
      if (before != null && entry.type().equals(Paying.SHIP)) {
        problems.add("at most once was called twice: " + entry);
      }
      String key = keys.putIfAbsent(entry.caseId() + " " + entry.type(), entry.key());
      if (key != null && !key.equals(entry.key())) {
        problems.add("an effect was sent under two keys: " + entry + " and " + key);
      }
    }
    return problems;
  }
}
