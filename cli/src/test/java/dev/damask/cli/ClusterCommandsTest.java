package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cli.command.ClusterUrls;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cluster.SharedStore;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The commands on a cluster, each as a user types it.
@Timeout(120)
final class ClusterCommandsTest {
  private static final String ORDER = Path.of("../examples/documents/order.yaml").toString();
  private static LocalPostgres server;

  @BeforeAll
  static void start() throws IOException {
    server = new LocalPostgres();
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private static String url(String schema) {
    return server.url(schema);
  }

  private static Engine node(String url) {
    SharedStore store = ClusterUrls.provider(url).nodeIfAlone(url);
    return Engine.open(
        EngineOptions.defaults().withShards(1).withSources(new KeptDocuments(store, null)), store);
  }

  @Test
  void an_order_goes_on_from_command_to_command() {
    String url = url("orders");
    assertThat(damask("store", "init", url).out()).endsWith("/postgres: created\n");
    assertThat(damask("store", "init", url).out()).endsWith("/postgres: the tables exist\n");
    assertThat(damask("nodes", url).out().lines()).hasSize(1);

    Shell started = damask("run", ORDER, "--id", "o-1", "--store", url);
    assertThat(started.exit()).as(started.err()).isEqualTo(Exit.WAITING);
    assertThat(started.out()).startsWith("o-1: waiting (4 steps, 2 effects)");
    try (Engine node = node(url)) {
      Shell nodes = damask("nodes", url);
      assertThat(nodes.out().lines().skip(1).findFirst().orElseThrow())
          .containsPattern("^ +2 .* 4096 ");
      Shell charged =
          damask("complete", "o-1", "charge", "--data", "{\"payment\": \"p-1\"}", "--store", url);
      assertThat(charged.out()).isEqualTo("o-1: accepted; waiting for task reserve\n");
      damask("complete", "o-1", "reserve", "--data", "{\"shelf\": \"B4\"}", "--store", url);
      Shell second = damask("run", ORDER, "--id", "o-2", "--store", url);
      assertThat(second.out()).as(second.err()).startsWith("o-2: waiting");
      assertThat(damask("cases", "--store", url).out()).contains("o-1", "o-2");
      assertThat(damask("show", url, "o-1").out()).contains("payment: \"p-1\"");
      assertThat(damask("cancel", url, "o-2", "--reason", "enough").exit()).isZero();
      assertThat(damask("signal", url, "o-2", "approved").exit()).isEqualTo(Exit.DIFFERENT);
      assertThat(damask("verify", url).out()).endsWith("/postgres: no problem found\n");
      assertThat(node.status("o-2").report()).isEmpty();
    }
  }

  @Test
  void a_server_is_tested() {
    Shell shell = damask("store", "doctor", url("any"));

    assertThat(shell.exit()).as(shell.out()).isZero();
    assertThat(shell.out()).contains("fit for a cluster").doesNotContain("FAILED");
  }

  private static void refused(String message, String... arguments) {
    Shell shell = damask(arguments);
    assertThat(shell.exit()).as(shell.err()).isEqualTo(Exit.INVALID);
    assertThat(shell.err()).contains(message).doesNotContain("secret");
    assertThat(shell.err().lines()).hasSize(1);
  }

  @Test
  void wrong_input_is_refused_with_what_to_do() {
    int port = server.port();
    String host = "localhost:" + port;
    refused("run 'damask store init URL'", "cases", url("missing"));
    refused("run 'damask store init URL'", "nodes", url("missing"));
    refused(
        "check user and password",
        "cases",
        "postgresql://nobody:secret@" + host + "/postgres?schema=orders");
    refused(
        "create the database or correct its name",
        "cases",
        "postgresql://postgres:postgres@" + host + "/nothing");
    refused(
        "check host and port of the URL",
        "cases",
        "postgresql://postgres:secret@localhost:1/postgres");
    refused("postgresql://user:password@host:port/database", "cases", "postgresql://" + host);
    refused("unknown parameter 'wrong'", "cases", url("orders") + "&wrong=1");
    refused("expected a URL such as", "store", "init", "folder");
    refused("expected init, upgrade, doctor or copy, got 'mend'", "store", "mend", url("orders"));
    refused("--finish requires the action upgrade", "store", "init", url("orders"), "--finish");
    refused("back the database up with pg_dump", "backup", initialised("backups"), "target/none");
  }

  private static String initialised(String schema) {
    damask("store", "init", url(schema));
    return url(schema);
  }
}
