package dev.damask.examples.expense;

import java.math.BigDecimal;

/// What an employee wants back.
record Expense(String employee, String purpose, BigDecimal amount) {}
