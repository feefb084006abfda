package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whatever a document, an argument or an event says, no command prints a control character.
final class ControlCharactersTest {
  /// Escape, bell, backspace, a C1 control sequence, an override of the reading direction.
  private static final String HOSTILE = "a\u001b[31m\u0007\b\u009b2J\u202eb\u2066c\u061c\u0085\r!";

  @TempDir Path folder;

  private String document() throws IOException {
    String text =
        """
        {"workflow": "w", "context": {"k": TEXT, KEY: 1}, "places": {"p": {"external": true}},
          "do": [
          {"task": "say", "effect": {"type": "log", "with": {"message": TEXT}}},
          {"task": "A"}, {"fail": "no TEXTUAL"}]}
        """
            .replace("TEXTUAL", json().substring(1, json().length() - 1))
            .replace("TEXT", json())
            .replace("KEY", json());
    return Files.writeString(folder.resolve("w.json"), text).toString();
  }

  private static String json() {
    StringBuilder out = new StringBuilder("\"");
    HOSTILE.chars().forEach(c -> out.append("\\u%04x".formatted(c)));
    return out.append('"').toString();
  }

  private static void isClean(Shell shell) {
    String all = shell.out() + shell.err();
    assertThat(all).isNotBlank();
    for (int i = 0; i < all.length(); i++) {
      char c = all.charAt(i);
      boolean isControl = Character.isISOControl(c) && c != '\n' && c != '\t';
      boolean turns = HOSTILE.indexOf(c) >= 0 && Character.getType(c) == Character.FORMAT;
      assertThat(isControl || turns)
          .as("a raw \\u%04x in %s", (int) c, all.substring(Math.max(0, i - 40), i))
          .isFalse();
    }
  }

  @Test
  void no_command_prints_one_raw() throws IOException {
    String document = document();
    String store = folder.resolve("store").toString();
    String events =
        Files.writeString(
                folder.resolve("e.json"), "[{\"done\": \"A\", \"set\": {\"x\": " + json() + "}}]")
            .toString();

    isClean(damask("check", document));
    isClean(damask("check", document, "--json"));
    isClean(damask("compile", document));
    isClean(damask("compile", document, "--raw"));
    isClean(damask("draw", document));
    isClean(damask("run", document, "--events", events, "--trace", "full"));
    isClean(damask("run", document, "--events", events, "--json"));
    isClean(damask("run", document, "--store", store, "--id", "c1", "--wait", "0"));
    isClean(damask("show", store, "c1"));
    isClean(damask("show", store, "c1", "--json"));
    isClean(damask("cases", store));
    isClean(damask("signal", store, "c1", HOSTILE));
    isClean(damask("fail", store, "c1", "A", "--reason", HOSTILE));
    isClean(damask("show", store, "c1"));
    isClean(damask(HOSTILE));
    isClean(damask("run", HOSTILE));
    isClean(damask("run", document, "--" + HOSTILE));
    isClean(damask("test", folder.resolve("no" + HOSTILE).toString()));
  }

  @Test
  void json_output_keeps_the_characters_as_escapes() throws IOException {
    String plain =
        Files.writeString(
                folder.resolve("v.json"),
                "{\"workflow\": \"v\", \"context\": {\"k\": "
                    + json()
                    + "}, \"do\": {\"skip\": true}}")
            .toString();

    Shell run = damask("run", plain, "--json");

    assertThat(run.json().getFirst().get("context")).isEqualTo(Map.of("k", HOSTILE));
  }
}
