package dev.damask.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Secrets that are named on the command line and kept elsewhere: what stands on a command line can
/// be read by everybody on the machine.
final class Secrets {
  private static final Pattern FORM = Pattern.compile("(__secret[A-Za-z0-9_]*)=(env|file):(.+)");

  private Secrets() {}

  static Map<String, String> read(List<String> options) {
    Map<String, String> secrets = new TreeMap<>();
    for (String option : options) {
      Matcher form = FORM.matcher(option);
      if (!form.matches()) {
        throw new Refusal(
            "a secret is given as __secret1=env:VARIABLE or __secret1=file:PATH, and never itself");
      }
      String place = form.group(3);
      String value =
          form.group(2).equals("env")
              ? System.getenv(place)
              : GraphFiles.text(Path.of(place)).strip();
      if (value == null) {
        throw new Refusal("the environment has no " + place + " for " + form.group(1));
      }
      secrets.put(form.group(1), value);
    }
    return secrets;
  }
}
