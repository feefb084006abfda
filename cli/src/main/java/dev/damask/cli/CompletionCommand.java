package dev.damask.cli;

import dev.damask.cli.command.Exit;
import dev.damask.cli.command.Streams;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Prints a script that completes commands and options in a shell.
@Command(
    name = "completion",
    description = {
      "Prints a completion script for a shell.",
      "For this session: source <(damask completion bash)"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:printed", "2:unknown shell"})
final class CompletionCommand implements Callable<Integer> {
  private final Streams streams;

  @Parameters(paramLabel = "SHELL", description = "The shell: ${COMPLETION-CANDIDATES}.")
  private Shell shell = Shell.bash;

  /// The shells; zsh reads the script of bash after it has loaded its own adapter.
  enum Shell {
    bash,
    zsh
  }

  CompletionCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    String adapter =
        shell == Shell.zsh
            ? "autoload -U +X compinit bashcompinit && compinit && bashcompinit\n"
            : "";
    streams.out().print(adapter + AutoComplete.bash("damask", CommandTree.commandLine(streams)));
    return Exit.OK;
  }
}
