package dev.damask.exec;

import dev.damask.state.Token;

/// Changes a token without marking it, as no class of the machine may: the rule that forbids it and
/// the base that notices it are tried on this one.
final class UnmarkedWrite {
  private UnmarkedWrite() {}

  static void move(Token token, int ip) {
    token.ip = ip;
  }
}
