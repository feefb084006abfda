package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a newcomer types wrong: every command answers in one sentence that names the place and, if
/// there is a remedy, what to do.
@Timeout(120)
final class WrongInputsTest {
  @TempDir static Path folder;

  @BeforeAll
  static void write() throws IOException {
    file("ok.yaml", "workflow: a\ndo: {task: A}\n");
    file("tab.yaml", "workflow: a\ndo:\n\t- {task: A}\n");
    file("two.yaml", "workflow: a\ndo: {task: A}\n---\nworkflow: b\ndo: {task: A}\n");
    file("empty.yaml", "");
    file("comment.yaml", "# nothing\n");
    file("list.json", "[1, 2]");
    file("trailing.json", "{\"workflow\": \"a\"} more");
    file("cut.json", "{\"workflow\": \"a\"");
    file("name.yaml", "workflow: \"a\\e[31m\"\ndo: {task: A}\n");
    file("task.yaml", "workflow: a\ndo: {task: \"A\\nB\"}\n");
    file("long.yaml", "workflow: " + "x".repeat(300) + "\ndo: {task: A}\n");
    file("cron.yaml", "workflow: a\nschedule: {cron: '99 * * * *'}\ndo: {task: A}\n");
    file("attribute.yaml", "workflow: a\nattributes: {x: 1 +}\ndo: {task: A}\n");
    file("schema.yaml", "workflow: a\ninput: {type: banana}\ndo: {task: A}\n");
    file("call.yaml", "workflow: a\ndo: {call: F}\n");
    file("retry.yaml", "workflow: a\ndo: {task: A, retry: {except: [x]}}\n");
    file("exhausted.yaml", "workflow: a\ndo: {task: A, onExhausted: wait}\n");
    file("input.yaml", "workflow: a\ninput: {required: [n]}\ndo: {task: A}\n");
    file("scenario.yaml", "scenario: s\nworkflow: ok.yaml\nsteps: [{start: true}]\n");
    file("far.yaml", "scenario: s\nworkflow: none.yaml\nsteps: [{start: true}]\n");
    file("events.yaml", "- dance: A\n");
    file("net.pnml", "<pnml>");
    Files.createDirectory(folder.resolve("directory"));
    file("directory/notes.txt", "not a store");
    Files.createSymbolicLink(folder.resolve("link.yaml"), folder.resolve("nowhere.yaml"));
    Shell.onStore(path("store"), "run", path("ok.yaml"), "--id", "open");
    Shell.onStore(path("store"), "run", path("ok.yaml"), "--id", "ended");
    Shell.onStore(path("store"), "complete", "ended", "A");
  }

  private static void file(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private static String path(String name) {
    return folder.resolve(name).toString();
  }

  /// Runs a command; `@/` stands for the folder, and `''` for an empty word.
  private static Shell run(String line) {
    List<String> words = new ArrayList<>();
    Arrays.stream(line.split(" +"))
        .map(word -> word.equals("''") ? "" : word.replace("@/", folder + "/"))
        .forEach(words::add);
    return damask(words.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "run @/none.yaml | /none.yaml: the file does not exist",
        "run @/directory | /directory: the file is a directory",
        "run @/link.yaml | /link.yaml: the file is a symbolic link to a file that does not exist",
        "run '' | the name of the file is empty",
        "run @/empty.yaml | /empty.yaml:1:1: the document is empty",
        "run @/comment.yaml | the document is empty",
        "run @/tab.yaml | /tab.yaml:3:1: do: not valid YAML",
        "run @/two.yaml | /two.yaml:3:1: a file must contain one document, found a second one",
        "run @/list.json | /list.json:1:1: expected an object (workflow), found a list",
        "run @/trailing.json | /trailing.json:1:19: not valid JSON",
        "run @/cut.json | /cut.json:1:17: not valid JSON",
        "run @/name.yaml | /name.yaml:1:1: workflow: a name has no control characters",
        "run @/task.yaml | /task.yaml:2:5: do: task: a name has no control characters",
        "run @/long.yaml | workflow: a name has at most 128 bytes, got 300",
        "run @/cron.yaml | /cron.yaml:2:11: schedule: cron '99 * * * *': minute must be between",
        "run @/attribute.yaml | attributes.x: expression '1 +' at 1:4: expected a value",
        "run @/schema.yaml | /schema.yaml:2:8: input: not a valid JSON Schema",
        "run @/call.yaml | do: call: there is no definition 'F'; none is declared",
        "run @/retry.yaml | do.retry: the key 'max' is missing",
        "run @/exhausted.yaml | do.onExhausted: expected fail or park, found 'wait'",
        "run @/input.yaml | required property 'n' not found; add the values with --context",
        "run @/scenario.yaml | a scenario, not a workflow; 'damask test' runs scenarios",
        "check @/scenario.yaml | a scenario, not a workflow; 'damask test' runs scenarios",
        "test @/ok.yaml | a workflow, not a scenario; 'damask run' runs workflows",
        "test @/far.yaml | /none.yaml: the file does not exist",
        "run @/ok.yaml --contxt {} | unknown option '--contxt', did you mean '--context'?",
        "run @/ok.yaml --context | missing --context=JSON or @FILE; see 'damask run --help'",
        "run @/ok.yaml --context { | --context:1:2: not valid YAML",
        "run @/ok.yaml --context [] | --context:1:1: expected an object such as {\"n\": 1}",
        "run @/ok.yaml --context @@/none | /none: the file does not exist",
        "run @/ok.yaml --wait soon | --wait must be a duration such as PT10S, got 'soon'",
        "run @/ok.yaml --events @/events.yaml | [0]: unknown key 'dance'",
        "run @/ok.yaml --trace all | --trace must be none, min or full, got 'all'",
        "run @/ok.yaml --id x | --id requires --store",
        "run @/ok.yaml --store @/ok.yaml | neither a store nor an empty directory; name another",
        "run @/ok.yaml --store @/directory | neither a store nor an empty directory; name another",
        "run @/ok.yaml --store mysql://h/x | not the URL of a cluster; name a directory, or a URL",
        "run @/ok.yaml --store '' | the name of the store is empty; name a directory",
        "run @/ok.yaml --store @/store --id a/b | a case id has from 1 to 128 letters",
        "run @/ok.yaml --store @/store --store @/b | '--store' (DIR or URL) should be specified",
        "run --store @/none | /none: not a store; 'damask run DOC --store",
        "cases @/none | /none: not a store; 'damask run DOC --store",
        "cases @/store --after x | --after must be a cursor that 'damask cases' has printed",
        "cases @/store --limit x | --limit must be an integer, got 'x'",
        "cases @/store --where (( | --where: column 1: expected a word",
        "cases --server nonsense | not the URL of a server; expected one such as http://",
        "cases --server http://127.0.0.1:1 --token @@/none | --token: ",
        "show @/store nobody | no case 'nobody'; known: ended, open",
        "show @/store open --as poem | --as must be one of history, scenario, recording, got",
        "show @/store open --revision 9 | case open: revision 9 is not kept; choose one from 1",
        "signal @/store open p --data { | --data:1:2: not valid YAML",
        "fail @/store open Z | case open has no pending task 'Z'",
        "change @/store open 1 --data {} | missing --reason=TEXT",
        "migrate @/store open @/ok.yaml --task X | --task must have the form OLD=NEW",
        "restart @/store open open | NEW-ID must differ from the id of the case, got 'open'",
        "delete @/store nobody | no case 'nobody'; known: ended, open",
        "schedules @/store pause none | there is no schedule none",
        "backup @/store @/ok.yaml | /ok.yaml: the target exists; name a new directory",
        "store copy @/store @/store | copy requires two stores, got ",
        "graphs put --store @/store | put requires FILE; name the documents to store",
        "graphs put @/none.json --store @/store | /none.json: the file does not exist",
        "session x --store @/store | SESSION must be an integer, got 'x'",
        "serve @/none.yaml --port 0 | /none.yaml: the file does not exist",
        "serve --port 99999 | --port must be between 0 and 65535, got 99999",
        "serve --public-url :: --port 0 | --public-url must be a URL such as https://",
        "draw @/ok.yaml -o @/none/x.svg | the diagram cannot be written: the directory ",
        "check @/net.pnml | /net.pnml:1:7: not well-formed XML",
        "replay @/ok.yaml | /ok.yaml:1:1: not valid JSON",
        "rum @/ok.yaml | unknown command 'rum', did you mean 'run'?",
        "completion fish | SHELL must be one of bash, zsh, got 'fish'",
      })
  void is_answered_in_one_sentence(String line, String sentence) {
    Shell shell = run(line);

    assertThat(shell.exit()).as(shell.out() + shell.err()).isEqualTo(Exit.INVALID);
    assertThat(shell.err()).hasLineCount(1).contains(sentence);
    assertThat(shell.err()).doesNotContain("Exception", "java.", "dev.damask");
  }

  @Test
  void a_workflow_that_starts_itself_without_end_fails_with_one_sentence() throws IOException {
    file("self.yaml", "workflow: a\ndo: {child: a}\n");

    Shell shell = run("run @/self.yaml");

    assertThat(shell.exit()).isEqualTo(Exit.FAILED);
    assertThat(shell.out())
        .contains("  reason child, task a at do (line 2): case a-1:")
        .containsOnlyOnce(" failed: ")
        .contains("its limit callDepth is 50; workflow a must not start itself without end");
  }

  @Test
  void an_ended_case_refuses_what_comes_too_late() {
    for (String line :
        List.of("signal @/store ended p", "complete @/store ended A", "cancel @/store ended")) {
      Shell shell = run(line);

      assertThat(shell.exit()).isEqualTo(Exit.DIFFERENT);
      assertThat(shell.out()).isEqualTo("ended: the case had ended; completed\n");
    }
  }
}
