package dev.damask.cli.command;

import dev.damask.program.Pool;
import dev.damask.session.SessionStart;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Secrets that are named on the command line and kept elsewhere: what stands on a command line can
/// be read by all users of the machine. A document gets no other secret.
///
/// @param values by name
public record SecretArguments(Map<String, String> values) {
  private static final Pattern FORM =
      Pattern.compile("([A-Za-z0-9_.-]{1,128})(?:=(env|file):(.+))?");
  private static final Pattern USE = Pattern.compile("\\$\\{secret\\.([A-Za-z0-9_.-]+)}");

  public static SecretArguments read(List<String> options) {
    Map<String, String> secrets = new TreeMap<>();
    for (String option : options) {
      Matcher form = FORM.matcher(option);
      if (!form.matches()) {
        throw new Refusal(
            "--secret must be NAME, NAME=env:VARIABLE or NAME=file:PATH; secrets must not appear on"
                + " the command line");
      }
      String name = form.group(1);
      String place = form.group(3) == null ? name : form.group(3);
      String value =
          "file".equals(form.group(2))
              ? GraphFiles.text(Path.of(place)).strip()
              : System.getenv(place);
      if (value == null) {
        throw new Refusal(
            "--secret %s: the environment variable %s is not set".formatted(name, place));
      }
      secrets.put(name, value);
    }
    return new SecretArguments(secrets);
  }

  /// Those of a session.
  public Map<String, String> ofSession() {
    for (String name : values.keySet()) {
      if (!SessionStart.isSecret(name)) {
        throw new Refusal(
            "--secret %s: names of session secrets must begin with __secret".formatted(name));
      }
    }
    return values;
  }

  /// Refuses a task that uses a secret which is not named.
  public void requireAll(String file, Pool.Task task) {
    Matcher use = USE.matcher(task.text());
    while (use.find()) {
      String name = use.group(1);
      if (!values.containsKey(name)) {
        throw new Refusal(
            ("%s: task %s uses the secret %s, which is not provided; add --secret %s for the"
                    + " environment variable %s, or --secret %s=file:PATH")
                .formatted(file, task.name(), name, name, name, name));
      }
    }
  }

  public String get(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalStateException(
          "the secret %s is not provided; add --secret %s".formatted(name, name));
    }
    return value;
  }
}
