package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Each check passes on a real server and fails on one that lacks its guarantee.
@Timeout(60)
final class PostgresDoctorTest {
  @Test
  void a_real_server_passes_every_check() {
    assertThat(new PostgresDoctor(TestServer.source(), PostgresOptions.DEFAULT).run())
        .hasSize(7)
        .allSatisfy(finding -> assertThat(finding.problem()).as(finding.check()).isEmpty());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "current_setting('fsync') | 'off' | version, encoding, role and durability",
        "current_setting('damask.session', true) | 'other' | connections are sessions",
        "pg_advisory_xact_lock_shared( | concat( | exclusive advisory locks wait for shared ones",
        "read committed | repeatable read | READ COMMITTED can be set per transaction",
        "'47s', true | '47s', false | local settings end with the transaction",
        "pg_terminate_backend( | concat( | a role can terminate its own sessions",
        "'idle_in_transaction_session_timeout', '100ms' | 'lock_timeout', '1h' |"
            + " an idle transaction is ended by its timeout"
      })
  void a_server_without_a_guarantee_fails_its_check(String part, String other, String check) {
    AlteredSource crippled = AlteredSource.replacing(TestServer.source(), part, other);

    assertThat(new PostgresDoctor(crippled, PostgresOptions.DEFAULT).run())
        .filteredOn(finding -> !finding.isPassed())
        .extracting(PostgresDoctor.Finding::check)
        .containsExactly(check);
  }
}
