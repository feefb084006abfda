package dev.damask.cli;

import dev.damask.check.Nearest;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// The sentence for a command line that cannot be executed.
final class Misuse {
  private Misuse() {}

  static String sentence(ParameterException problem) {
    CommandSpec command = problem.getCommandLine().getCommandSpec();
    List<String> unmatched = problem.getCommandLine().getUnmatchedArguments();
    return switch (problem) {
      case UnmatchedArgumentException strange ->
          unknown(command, strange.getUnmatched().getFirst());
      case MissingParameterException missing when unmatched.isEmpty() ->
          "missing "
              + missing.getMissing().stream().map(Misuse::named).collect(Collectors.joining(", "));
      case MissingParameterException _ -> unknown(command, unmatched.getFirst());
      default -> wrong(problem);
    };
  }

  private static String named(ArgSpec argument) {
    return argument instanceof OptionSpec option
        ? option.longestName() + "=" + option.paramLabel()
        : argument.paramLabel();
  }

  /// A value that is not of the type of its option; no Java type is named.
  private static String wrong(ParameterException problem) {
    ArgSpec argument = problem.getArgSpec();
    if (argument == null) {
      return String.valueOf(problem.getMessage());
    }
    String name =
        argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    if (argument.typeInfo().isMap()) {
      return name + " must have the form " + argument.paramLabel();
    }
    if (problem.getValue() == null) {
      return String.valueOf(problem.getMessage());
    }
    String expected = expected(argument);
    return expected.isEmpty()
        ? String.valueOf(problem.getMessage())
        : "%s must be %s, got '%s'".formatted(name, expected, problem.getValue());
  }

  private static String expected(ArgSpec argument) {
    Class<?> type = argument.type();
    if (argument.completionCandidates() != null) {
      List<String> words = new ArrayList<>();
      argument.completionCandidates().forEach(words::add);
      return "one of "
          + words.stream().map(Misuse::lower).distinct().collect(Collectors.joining(", "));
    }
    if (type.isEnum()) {
      return "one of "
          + Arrays.stream(type.getEnumConstants())
              .map(each -> lower(each.toString()))
              .distinct()
              .collect(Collectors.joining(", "));
    }
    if (type == Duration.class) {
      return "a duration such as PT10S";
    }
    if (type == URI.class) {
      return "a URL such as https://damask.example.org";
    }
    boolean isWhole =
        type == int.class || type == long.class || type == Integer.class || type == Long.class;
    return isWhole ? "an integer" : "";
  }

  private static String lower(String word) {
    return word.toLowerCase(Locale.ROOT);
  }

  private static String unknown(CommandSpec command, String argument) {
    String written = argument.split("=", 2)[0];
    if (written.equals("--server")) {
      return "works with files and stores of this machine, and has no option --server";
    }
    if (written.startsWith("-")) {
      List<String> known = new ArrayList<>(command.optionsMap().keySet());
      known.removeIf(option -> !option.startsWith("--"));
      return "unknown option '" + written + "'" + hint(written, known);
    }
    if (!command.subcommands().isEmpty()) {
      return "unknown command '" + written + "'" + hint(written, command.subcommands().keySet());
    }
    return "'" + written + "' is an unexpected argument";
  }

  private static String hint(String written, Collection<String> known) {
    // Distances cost the product of both lengths.
    return written.length() > 100 ? "" : ", " + Nearest.hint(written, known, known.size());
  }
}
